"""The rule language: every condition and quantity is one object in one module.

An operator (`registry.ConditionOperator`, `registry.QuantityOperator`) has its key, the type of its operand, its
documentation and an example, the grain it speaks at, its meaning over columns, its words for people, and what makes no
sense of it. The classes of `conditions`, the JSON Schemas, the reference, the interpreter and all texts come from these
objects; an operator is added by writing one more class into the module of its family.

Rules refer to rules: facts to conditions, steps of play to facts, quantities to conditions on seats. So evaluation is
mutually recursive by nature, and this package is the one place that says so openly. Everybody imports it, since rule
files are read by it; so its modules import at their top only what reading needs, and what a meaning asks of the engine
is imported in the method that evaluates. Nothing else in the program imports that way.
"""
