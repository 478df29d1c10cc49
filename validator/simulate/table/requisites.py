"""What choices of the licensee decide before anything is played: whether it can be, and whether a fault may fit."""

from __future__ import annotations

from validator.language.conditions import Condition
from validator.language.logic import Connective
from validator.simulate.faults.planting import Planting
from validator.simulate.table.house import House
from validator.simulate.table.records import Round
from validator.simulate.table.view import View
from validator.text.truth import NO, UNKNOWN, YES


def see_to_requisites(house: House) -> None:
    """Raises ValueError, with a sentence for people, where players cannot play against each other so."""
    game, simulation, submission = house.game, house.simulation, house.submission
    if game.pots is None or game.betting is None:
        return
    players = None if game.table is None else game.table.players
    if players is not None and not players.least <= house.seats[0] <= house.seats[1] <= players.most:
        raise ValueError(f"the game is for {players.least} to {players.most} players")
    posted = {one.wager: one.minimum for one in submission.wagers or []}
    for one in simulation.forced:
        if not posted.get(one.wager) and by_choice(house, one.when) != NO:
            raise ValueError(f"the submission posts no minimum for `{one.wager}`, which is what players put in")
    if submission.smallest_chip is None:
        raise ValueError("the submission does not say what the smallest chip is, so pots cannot be divided")
    steps = {step.step for step in house.course}
    for wrong in simulation.irregularities:
        if wrong.after not in steps:
            raise ValueError(f"`{wrong.after}`, after which something goes wrong, is not in the course of a round")


def by_choice(house: House, condition: Condition | None) -> int:
    """What a condition comes to by the readings and the choices of the licensee alone; unknown where rounds decide."""
    if condition is None:
        return YES
    meaning, operand = condition.meaning, condition.operand
    if isinstance(meaning, Connective):
        return meaning.decided([by_choice(house, part) for part in meaning.parts(operand)])
    if condition.operator == "fact":
        return by_choice(house, house.game.facts[operand])
    chosen = condition.operator == "reading" or meaning.looks_at == "submission"
    if not chosen or house.prepared.grain(condition) != "round":
        return UNKNOWN
    return int(View(house, [Round(seats=[])]).scope.truth(condition, "round")[0])


def fits_some_round(house: House, planting: Planting) -> bool:
    """Whether a fault may fit a round, as far as readings and the choices of the licensee tell."""
    if by_choice(house, planting.fault.where) == NO:
        return False
    if planting.upon is not None and not fits_some_round(house, planting.upon):
        return False
    return planting.fault.operator != "pay" or any(_may_come(house, number) for number in planting.cases)


def _may_come(house: House, number: int) -> bool:
    """Whether a case may be the first that holds, for some line of it. Limits are numbered on from the cases."""
    cases = house.game.settlement.cases
    if number >= len(cases):
        return True
    settled = {line for one in cases[:number] if by_choice(house, one.when) == YES for line in one.lines}
    return by_choice(house, cases[number].when) != NO and not settled.issuperset(cases[number].lines)
