"""Operators of the rule language: the code behind each condition, quantity and comparison is one class.

A field of `Condition`, `Quantity` or `Comparison` declares a keyword, its operand and its documentation. The class of
the same key evaluates columns, describes the keyword in words and finds semantic errors. To add an operator, add a
field to the model, a class to the module of its family, and the class to `operator_table`.

Rules refer to rules: facts to conditions, steps to facts, quantities to conditions on seats. Evaluation is therefore
mutually recursive. Imports still run one way: an operator finds the operators of its parts through the table that
created it, and a compiled game carries the table to the engine.
"""
