"""A mutant on trial: does it load, and if so, does any example of the document notice?"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

from msgspec.structs import replace

from tests.mutation.changes import Mutant, changed
from validator.checks.example_evidence import Sample, load_samples
from validator.checks.examples import PreparedRounds, PreparedSamples, prepare_samples, prove, prove_prepared
from validator.rulebook.language.requirement import RequirementFile
from validator.rulebook.load import RuleFile, composed, read_rule_files, regulation_from
from validator.rulebook.names import Namespace, unknown_names
from validator.rulebook.regulation import Regulation
from validator.rulebook.sense import nonsense
from validator.text.diagnostics import InputError, at_most
from validator.text.tree import Path as Place
from validator.text.tree import Position, Tree
from validator.text.validate import validate

Outcome: TypeAlias = Literal["refused", "noticed", "crashed", "survived"]
"""What became of a mutant: it did not load; an example gave something else than it must; loading or judging it
raised an exception; nothing happened."""

_ROOT: dict[Place, Position] = {(): Position(1, 1)}


@dataclass(slots=True, kw_only=True)
class Court:
    """A document and its examples, their evidence read, ready to try any number of mutants.

    `wrong` names the examples that do not hold for the rules as they are; they have no say.
    """

    files: tuple[RuleFile, ...]
    regulation: Regulation
    names: Namespace
    wrong: tuple[str, ...]
    groups: list[PreparedSamples]
    _groups_on: dict[str, list[PreparedSamples]] = field(default_factory=dict)

    def outcome(self, mutant: Mutant) -> Outcome:
        """What becomes of a mutant."""
        try:
            return self._heard(mutant)
        except InputError:
            return "refused"
        except Exception:  # whatever a mutant brings about, the others must have their turn
            return "crashed"

    def _heard(self, mutant: Mutant) -> Outcome:
        regulation = self.loaded(mutant)
        name = self._requirement(mutant)
        if name is None:
            return _judged(regulation, self.groups)
        # A requirement is judged by itself, so only it and what the examples say of it need be looked at.
        only = tuple(one for one in regulation.requirements if one.requirement == name)
        return _judged(replace(regulation, requirements=only), self._on(name))

    def loaded(self, mutant: Mutant) -> Regulation:
        """The regulation with the change made, as `load.regulation_from` would have it, in less time: what the
        change cannot make wrong is not looked at again. Raises InputError.
        """
        files = [mutated(file, mutant) for file in self.files]
        regulation = composed(files)
        names = Namespace.of(regulation)
        same_names = names == self.names
        looked_up = [file for file in files if file.name == mutant.file or not same_names]
        problems = [one for file in looked_up for one in unknown_names(file.tree, file.model, names)]
        if not problems:
            # Requirements make sense or not each by itself, as long as only one of them and no name has changed.
            alone = same_names and self._requirement(mutant) is not None
            tried = [
                (file.tree, file.model)
                for file in files
                if file.name == mutant.file or not (alone and isinstance(file.model, RequirementFile))
            ]
            problems = list(nonsense(regulation, tried))
        if problems:
            raise InputError(at_most(problems))
        return regulation

    def _requirement(self, mutant: Mutant) -> str | None:
        """The name of the one requirement that a mutant changes, None where it changes anything else."""
        file = next(file for file in self.files if file.name == mutant.file)
        if not isinstance(file.model, RequirementFile) or len(mutant.target) < 2:
            return None
        return file.model.requirements[int(mutant.target[1])].requirement

    def _on(self, name: str) -> list[PreparedSamples]:
        if name not in self._groups_on:
            evidence = self.regulation.requirement(name).evidence
            self._groups_on[name] = [
                replace(group, samples=tuple(_narrowed(sample, name) for sample in group.samples))
                for group in self.groups
                if evidence in group.judged_on
            ]
        return self._groups_on[name]


def open_court(document: str, folder: Path | None = None) -> Court:
    """A court on a document of a rules folder (the shipped one where none is named). Raises InputError."""
    files = read_rule_files(document, folder)
    regulation = regulation_from(files)
    proofs = prove(regulation, load_samples(regulation, folder))
    groups = prepare_samples(regulation.id, [proof.sample for proof in proofs if not proof.problems])
    return Court(
        files=files,
        regulation=regulation,
        names=Namespace.of(regulation),
        wrong=tuple(proof.sample.example.example for proof in proofs if proof.problems),
        groups=sorted(groups, key=_precedence),
    )


def _precedence(group: PreparedSamples) -> int:
    """Many rounds at once come before submissions one by one: a change of the game is noticed sooner."""
    return -len(group.samples) if isinstance(group, PreparedRounds) else 0


def mutated(file: RuleFile, mutant: Mutant) -> RuleFile:
    """The file with the change made and validated; another file as it is. Raises InputError."""
    if file.name != mutant.file:
        return file
    data = changed(file.tree.data, mutant.target, mutant.value)
    # The places of the original do not fit the mutant, and nobody reads its diagnostics.
    tree = Tree(data=data, source_name=file.name, lines=("",), positions=_ROOT)
    return replace(file, tree=tree, model=validate(tree, type(file.model)))


def _judged(regulation: Regulation, groups: list[PreparedSamples]) -> Outcome:
    """Whether any group of examples notices. The one that does is asked first next time: neighbouring mutants
    tend to be noticed by the same examples."""
    for index, group in enumerate(groups):
        if any(proof.problems for proof in prove_prepared(regulation, group)):
            groups.insert(0, groups.pop(index))
            return "noticed"
    return "survived"


def _narrowed(sample: Sample, name: str) -> Sample:
    """An example that says only what it says of one requirement."""
    example = sample.example
    said = {
        "findings": [finding for finding in example.findings if finding.requirement == name],
        "about": [one for one in example.about if one == name],
        "not_applicable": [one for one in example.not_applicable if one == name],
        "unproven": [one for one in example.unproven if one == name],
    }
    return replace(sample, example=example.model_copy(update=said))
