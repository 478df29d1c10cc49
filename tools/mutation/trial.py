"""A mutant on trial: does it load, and if so, does any example of the document notice?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias

from msgspec.structs import replace

from fairdeal.validator.audit.rule_review.example_evidence import Sample, load_samples
from fairdeal.validator.audit.rule_review.example_proof import (
    PreparedRounds,
    PreparedSamples,
    PreparedSubmission,
    Proof,
    SampleContext,
    build_unreadable_proof,
    prepare_samples,
    prove_prepared,
    prove_rounds,
)
from fairdeal.validator.audit.rule_review.example_proof import open_contexts as open_rounds
from fairdeal.validator.audit.rule_review.example_snapshot import SnapshotEntry
from fairdeal.validator.rulebook.dependencies import Namespace, find_undefined_names
from fairdeal.validator.rulebook.game_requirements import RuleFile, add_game_requirements
from fairdeal.validator.rulebook.rule_loader import build_regulation, compose_regulation, read_rule_files
from fairdeal.validator.rulebook.semantic_errors import find_semantic_errors
from fairdeal.validator.rules.regulation import Regulation
from fairdeal.validator.rules.requirement_model import Requirement, RequirementFile
from fairdeal.validator.text.diagnostics import Diagnostic, InputError, limit_diagnostics
from fairdeal.validator.text.document_loader import validate
from fairdeal.validator.text.positioned_document import DataPath as Place
from fairdeal.validator.text.positioned_document import PositionedDocument, SourcePosition
from tools.mutation.changes import Mutant, replace_at
from tools.mutation.kept_rounds import isolate, restrict_requirements
from tools.mutation.mutants import list_mutants

Outcome: TypeAlias = Literal["refused", "noticed", "crashed", "survived"]
"""Outcome of a mutant: it did not load; an example had another result; loading or judging it raised an exception;
nothing happened."""

_NAMED_BY_THE_GAME = frozenset({"settled", "capped", "drawn-by"})
"""Checks of requirements without which a case of settlement, a limit or a rule of drawing would not be judged."""
_SHARING = frozenset({"order"})
"""Checks that share among them what they find, so that a change of one changes others."""
_LATELY = 20
"""Number of the latest successful groups that are tried first: groups of examples, each by one requirement."""

_ROOT: dict[Place, SourcePosition] = {(): SourcePosition(1, 1)}


@dataclass(slots=True, kw_only=True)
class Court:
    """Trial of a document: its examples, with their evidence read, for any number of mutants.

    `proofs` are the results of the examples under the unchanged rules, in their order. `wrong` names examples that do
    not hold; they are ignored. `groups` are judged together, those with most examples first; `opened` is the cache of
    their rounds under the unchanged rules. `mutants` are all changes of the files.
    """

    files: tuple[RuleFile, ...]
    regulation: Regulation
    names: Namespace
    proofs: tuple[Proof, ...]
    wrong: tuple[str, ...]
    groups: tuple[PreparedSamples, ...]
    opened: tuple[tuple[SampleContext, ...], ...]
    mutants: tuple[Mutant, ...]
    _said_of: dict[str, dict[int, PreparedSamples]] = field(default_factory=dict)
    _lately: list[tuple[int, str]] = field(default_factory=list)

    def outcome(self, mutant: Mutant) -> Outcome:
        """Try a mutant and return its outcome."""
        try:
            return "noticed" if self._is_noticed(mutant) else "survived"
        except InputError:
            return "refused"
        except Exception:  # whatever a mutant brings about, the others must have their turn
            return "crashed"

    def otherwise_alone(self, *, step: int = 1) -> tuple[str, ...]:
        """List unchanged requirements whose result differs when they are judged alone, of every `step`-th one. The list
        is empty, or a change might count as noticed that is not."""
        return tuple(
            requirement.requirement
            for requirement in self.regulation.requirements[::step]
            if any(
                self._notices(self.regulation, requirement.requirement, requirement, group, isolate(self.opened[group]))
                for group in self._find_groups(requirement.requirement)
            )
        )

    def _is_noticed(self, mutant: Mutant) -> bool:
        regulation = self.load_regulation(mutant)
        place = self._requirement(mutant)
        if place is None or self._shares(place, mutant):
            return self._by_any(regulation)
        # A requirement is judged by itself, so only it and what the examples say of it need be examined; and of their
        # rounds all that is known stays as it is.
        name, one = self.regulation.requirements[place].requirement, regulation.requirements[place]
        return any(
            self._notices(regulation, name, one, group, isolate(self.opened[group]))
            for group in self._first_to_ask(name)
        )

    def _by_any(self, regulation: Regulation) -> bool:
        """Return whether any example notices a change that may affect anything. The requirements with most examples are
        judged first."""
        opened: dict[int, tuple[SampleContext, ...]] = {}

        def rounds(group: int) -> tuple[SampleContext, ...]:
            prepared = self.groups[group]
            if group not in opened:
                opened[group] = () if isinstance(prepared, PreparedSubmission) else open_rounds(regulation, prepared)
            return opened[group]

        requirements: dict[str, Requirement | None] = {
            requirement.requirement: None for requirement in self.regulation.requirements
        }
        requirements.update({requirement.requirement: requirement for requirement in regulation.requirements})
        gone = [name for name, requirement in requirements.items() if requirement is None]
        missing = [(group, name) for name in gone for group in self._first_to_ask(name)]
        for group, name in dict.fromkeys([*missing, *self._lately, *((0, name) for name in requirements)]):
            if group in self._find_groups(name) and self._notices(
                regulation, name, requirements[name], group, rounds(group)
            ):
                return True
        for group, prepared in enumerate(self.groups):
            if isinstance(prepared, PreparedSubmission):
                proofs = prove_prepared(regulation, prepared)
            else:
                proofs = prove_rounds(regulation, prepared, rounds(group))
            if any(proof.problems for proof in proofs):
                asked = (
                    (requirement.requirement, requirement)
                    for requirement in regulation.requirements
                    if group in self._find_groups(requirement.requirement)
                )
                any(
                    self._notices(regulation, name, requirement, group, rounds(group)) for name, requirement in asked
                )  # and remembers
                return True
        return False

    def _notices(
        self, regulation: Regulation, name: str, one: Requirement | None, group: int, rounds: tuple[SampleContext, ...]
    ) -> bool:
        """Return whether a group of examples notices a change by the requirement of a name, None if it is gone."""
        only = () if one is None else (one,)
        prepared = self._find_groups(name)[group]
        if isinstance(prepared, PreparedSubmission):
            proofs = prove_prepared(replace(regulation, requirements=only), prepared)
        else:
            proofs = prove_rounds(regulation, prepared, restrict_requirements(rounds, only))
        if not any(proof.problems for proof in proofs):
            return False
        # The group that noticed is tried first next time: neighbouring mutants tend to be noticed by the same examples.
        self._lately = [(group, name), *(recent for recent in self._lately if recent != (group, name))][:_LATELY]
        return True

    def load_regulation(self, mutant: Mutant) -> Regulation:
        """Build the regulation with the change made, as `load.regulation_from` would, in less time: parts that the
        change cannot break are not validated again. Raises InputError.
        """
        place = self._requirement(mutant)
        alone = None if place is None else self._alone(place, mutant)
        if alone is not None:
            return alone
        files = add_game_requirements([mutate_file(file, mutant) for file in self.files])
        regulation = compose_regulation(files)
        names = Namespace.from_regulation(regulation)
        looked_up = [file for file in files if file.name == mutant.file or names != self.names]
        _stop_on([problem for file in looked_up for problem in find_undefined_names(file.tree, file.model, names)])
        _stop_on([*find_semantic_errors(regulation, [file.to_checked() for file in files])])
        return regulation

    def _alone(self, place: int, mutant: Mutant) -> Regulation | None:
        """Build the regulation with the requirement at a place changed; None if the game or the document may become
        invalid. Raises InputError."""
        file = next(file for file in self.files if file.name == mutant.file)
        alone = mutate_file(file, mutant, only=int(mutant.target[1]))
        assert isinstance(alone.model, RequirementFile)
        (new,) = alone.model.requirements
        old = self.regulation.requirements[place]
        if new.clauses != old.clauses or old.check.operator in _NAMED_BY_THE_GAME or self._shares(place, mutant):
            return None
        requirements = list(self.regulation.requirements)
        requirements[place] = new
        regulation = replace(self.regulation, requirements=tuple(requirements))
        _stop_on([*find_undefined_names(alone.tree, alone.model, self.names)])
        _stop_on([*find_semantic_errors(regulation, [alone.to_checked()])])
        return regulation

    def _shares(self, place: int, mutant: Mutant) -> bool:
        """Return whether a mutant changes what a requirement shares with others."""
        return "check" in mutant.target and self.regulation.requirements[place].check.operator in _SHARING

    def _requirement(self, mutant: Mutant) -> int | None:
        """Return the index of the one requirement that a mutant changes, None if it changes anything else."""
        file = next(file for file in self.files if file.name == mutant.file)
        if not isinstance(file.model, RequirementFile) or len(mutant.target) < 2:
            return None
        name = file.model.requirements[int(mutant.target[1])].requirement
        return [requirement.requirement for requirement in self.regulation.requirements].index(name)

    def _find_groups(self, name: str) -> dict[int, PreparedSamples]:
        """Return the groups on which a requirement is judged, with their statements on it alone. No example mentions a
        requirement that a change introduces: it is judged with all others."""
        if name not in {requirement.requirement for requirement in self.regulation.requirements}:
            return {}
        if name not in self._said_of:
            evidence = self.regulation.find_requirement(name).evidence
            self._said_of[name] = {
                index: replace(
                    group, samples=tuple(_narrow_sample(sample, self.regulation.id, name) for sample in group.samples)
                )
                for index, group in enumerate(self.groups)
                if evidence in group.evidence_kinds
            }
        return self._said_of[name]

    def _first_to_ask(self, name: str) -> list[int]:
        """Order the groups of a requirement: first the latest that noticed, then those with a statement on it."""
        groups = self._find_groups(name)
        lately = [group for group, of in self._lately if of == name]
        speaking = [group for group, prepared in groups.items() if any(_speaks(sample) for sample in prepared.samples)]
        return list(dict.fromkeys([*lately, *speaking, *groups]))


def open_court(document: str, folder: Path | None = None) -> Court:
    """Open the trial of a document of a rules folder (the shipped one if none is named). Raises InputError."""
    files = read_rule_files(document, folder)
    regulation = build_regulation(files)
    samples = load_samples(regulation, folder)
    groups, opened, proofs = _judge_samples(regulation, samples)
    wrong = [proof.sample for proof in proofs if proof.problems]
    if wrong:
        groups, opened, _ = _judge_samples(regulation, [sample for sample in samples if sample not in wrong])
    return Court(
        files=files,
        regulation=regulation,
        names=Namespace.from_regulation(regulation),
        proofs=proofs,
        wrong=tuple(failure.example.example for failure in wrong),
        groups=groups,
        opened=opened,
        mutants=tuple(mutant for file in files for mutant in list_mutants(file, regulation)),
    )


def _judge_samples(
    regulation: Regulation, samples: Sequence[Sample]
) -> tuple[tuple[PreparedSamples, ...], tuple[tuple[SampleContext, ...], ...], tuple[Proof, ...]]:
    """Judge examples; return them in groups, the caches of their rounds, and the result of each."""
    prepared, unread = prepare_samples(regulation, samples)
    groups = sorted(prepared, key=_precedence)
    opened: list[tuple[SampleContext, ...]] = []
    proofs = {sample: build_unreadable_proof(sample, problems) for sample, problems in unread.items()}
    for group in groups:
        if isinstance(group, PreparedSubmission):
            opened.append(())
            found = prove_prepared(regulation, group)
        else:
            opened.append(open_rounds(regulation, group))
            found = prove_rounds(regulation, group, opened[-1])
        proofs |= {proof.sample: proof for proof in found}
    return tuple(groups), tuple(opened), tuple(proofs[sample] for sample in samples)


def _precedence(group: PreparedSamples) -> int:
    """Order rounds before single submissions: a change of the game is noticed sooner."""
    return -len(group.samples) if isinstance(group, PreparedRounds) else 0


def mutate_file(file: RuleFile, mutant: Mutant, *, only: int | None = None) -> RuleFile:
    """Return the file with the change made and validated; another file unchanged. With `only`, a file of requirements
    is reduced to that one. Raises InputError."""
    if file.name != mutant.file:
        return file
    data: Any = replace_at(file.tree.data, mutant.target, mutant.value)
    if only is not None:
        data = {**data, "requirements": [data["requirements"][only]]}
    # The places of the original do not fit the mutant, and nobody reads its diagnostics.
    tree = PositionedDocument(data=data, source_name=file.name, lines=("",), positions=_ROOT)
    return replace(file, tree=tree, model=validate(tree, type(file.model)))


def _stop_on(problems: list[Diagnostic]) -> None:
    if problems:
        raise InputError(limit_diagnostics(problems))


def _speaks(sample: Sample) -> bool:
    kept = sample.snapshot_entry
    return bool(sample.example.proves or sample.example.not_applicable or kept.findings or kept.unproven)


def _narrow_sample(sample: Sample, document: str, name: str) -> Sample:
    """Return an example reduced to its statements on one requirement."""
    example, kept = sample.example, sample.snapshot_entry
    said = {
        "findings": [finding for finding in example.findings if finding.requirement == name],
        "about": [subject for subject in example.about if subject == name],
        "not_applicable": [item for item in example.not_applicable if item == name],
        "unproven": [item for item in example.unproven if item == name],
    }
    words = tuple(finding for finding in kept.findings if finding.requirement == f"{document}/{name}")
    return replace(
        sample,
        example=example.model_copy(update=said),
        snapshot_entry=SnapshotEntry(findings=words, unproven=kept.unproven.intersection({name})),
    )
