"""The snapshot of a document's examples: what they give besides what they say themselves. A program writes it."""

from __future__ import annotations

from typing import Annotated, Literal

from annotated_types import MinLen
from pydantic import Field

from validator.text.models.model import Closed
from validator.text.models.scalars import Identifier, Prose


class Sources(Closed):
    """What a finding rests on."""

    clauses: Annotated[list[Prose], MinLen(1)]
    """Every clause it names, in order."""
    readings: list[Identifier] = Field(default_factory=list)
    """Every reading it rests on, in order."""


class KeptFinding(Closed):
    """What a finding of an example says."""

    requirement: Identifier
    """The requirement."""
    status: Literal["fail", "error"] = "fail"
    """Its status."""
    rests: Sources | None = None
    """What it rests on; left out, what most findings of the requirement do."""
    waived: bool = False
    """Whether a waiver marks it."""
    expected: str
    """What it says was expected."""
    observed: str
    """What it says was observed."""


class OwnUnproven(Closed):
    """What an example leaves unproven, told by how it differs from what most on its base do."""

    besides: list[Identifier] = Field(default_factory=list)
    """Requirements that it leaves unproven besides."""
    except_: list[Identifier] = Field(default_factory=list)
    """Requirements that it does not leave unproven."""


class Unproven(Closed):
    """What comes out not evidenced or in need of an attestation."""

    submissions: dict[Identifier, list[Identifier]] = Field(default_factory=dict)
    """By the base of the submission that is judged: the requirements that most examples on it leave unproven."""
    rounds: dict[Identifier, list[Identifier]] = Field(default_factory=dict)
    """By the base of the round."""
    sessions: dict[Identifier, list[Identifier]] = Field(default_factory=dict)
    """By the base of the first round of the session."""
    examples: dict[Identifier, OwnUnproven] = Field(default_factory=dict)
    """By example, where it differs from that."""


class Snapshot(Closed):
    """What examples of a document give besides what they say themselves. `fairdeal rules test --update` writes it."""

    requirements: dict[Identifier, Sources] = Field(default_factory=dict)
    """What most findings of a requirement rest on, by the requirement."""
    unproven: Unproven = Field(default_factory=Unproven)
    """What examples leave unproven."""
    findings: dict[Identifier, Annotated[list[KeptFinding], MinLen(1)]] = Field(default_factory=dict)
    """What their findings say, by example, in order."""
