"""What a game between players asks of a submission before it can be played forward."""

from __future__ import annotations

from validator.evidence.submission import Submission
from validator.play.prepared import Prepared
from validator.play.simulate.exchange_steps import course
from validator.rulebook.language.simulation import Simulation


def see_to_requisites(
    prepared: Prepared, simulation: Simulation, submission: Submission, seats: tuple[int, int]
) -> None:
    """Raises ValueError, with a sentence for people, where players cannot play against each other so."""
    game = prepared.game
    if game.pots is None or game.betting is None:
        return
    players = None if game.table is None else game.table.players
    if players is not None and not players.least <= seats[0] <= seats[1] <= players.most:
        raise ValueError(f"the game is for {players.least} to {players.most} players")
    posted = {one.wager: one.minimum for one in submission.wagers or []}
    for one in simulation.forced:
        wanted = any(forced.wager == one.wager and forced.counts == "as-the-bet" for forced in game.betting.forced)
        if wanted and not posted.get(one.wager):
            raise ValueError(f"the submission posts no minimum for `{one.wager}`")
    if submission.smallest_chip is None:
        raise ValueError("the submission does not say what the smallest chip is, so pots cannot be divided")
    steps = {step.step for step in course(game)}
    for wrong in simulation.irregularities:
        if wrong.after not in steps:
            raise ValueError(f"`{wrong.after}`, after which something goes wrong, is not in the course of a round")
