"""Acts at a table in the ways that texts leave open: wagers in parts, mistakes that are corrected, cards taken up."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tests.lawful.record import Event, join_cards, make_event, split_amount


def flatten(sequences: Iterable[Iterable[Event]]) -> list[Event]:
    return [event for sequence in sequences for event in sequence]


@dataclass
class Style:
    """Habits of a dealer and of a log in one round, all of which the text leaves open."""

    rng: random.Random
    is_plain: bool = False
    """True if everything happens in the most common way."""
    bonuses: frozenset[str] = frozenset()
    """Payments without a stake of their own, which nobody can take by mistake."""

    def chance(self, share: float) -> bool:
        return not self.is_plain and self.rng.random() < share


def write_wager(style: Style, seat: int, wager: str, amount: int, tip: bool, *, is_final: bool = False) -> list[Event]:
    """Return the events of one stake: whole, in parts, or, if it is not final, taken back and placed anew."""
    rng = style.rng
    mark = {"tip": True} if tip else {}
    extra = {"in_": rng.choice(["chips", "coupon", "plaques"])} if style.chance(0.05) else {}
    if not is_final and style.chance(0.04):
        first = rng.choice([amount, 2 * amount, max(amount // 2, 1)])
        return [
            make_event("wager", seat=seat, wager=wager, amount=first, **mark),
            make_event("withdraw", seat=seat, wager=wager, amount=first, **mark),
            make_event("wager", seat=seat, wager=wager, amount=amount, **mark),
        ]
    parts = split_amount(rng, amount, 2) if style.chance(0.06) else [amount]
    return [make_event("wager", seat=seat, wager=wager, amount=part, **mark, **extra) for part in parts]


def write_outcome(style: Style, seat: int, wager: str, stake: int, tip: bool, result: tuple[str, int]) -> list[Event]:
    """Return the events that settle one line."""
    mark = {"tip": True} if tip else {}
    kind, odds = result
    rng = style.rng

    def act(name: str, amount: int) -> Event:
        return make_event(name, seat=seat, wager=wager, amount=amount, **mark)

    mistake = []
    if wager not in style.bonuses and style.chance(0.02):
        mistake = [act("collect", stake), act("return", stake)]
    if kind == "won":
        parts = split_amount(rng, stake * odds, 2) if style.chance(0.04) else [stake * odds]
        events = [*mistake, *(act("pay", part) for part in parts)]
        if wager not in style.bonuses and not mistake and style.chance(0.04):
            events.append(act("return", stake))
        return events
    if kind == "push":
        return mistake or ([act("return", stake)] if style.chance(0.5) else [])
    parts = split_amount(rng, stake, 2) if style.chance(0.03) else [stake]
    return [*mistake, *(act("collect", part) for part in parts)]


def take_cards(style: Style, seat: int, cards: Sequence[str]) -> list[Event]:
    """Return the events in which the cards of a seat are taken up."""
    rng = style.rng
    if style.chance(0.06):
        cut = rng.randrange(1, len(cards))
        return [
            make_event("collect-cards", place="player", seat=seat, cards=join_cards(part))
            for part in (cards[:cut], cards[cut:])
        ]
    named = {"cards": join_cards(cards)} if style.chance(0.3) else {}
    return [make_event("collect-cards", place="player", seat=seat, what="hand" if style.chance(0.1) else None, **named)]


def change_deck(style: Style, deck: str) -> tuple[str, list[Event]]:
    """Return the colour of a new deck and the acts of replacing one that does not come back."""
    colours = ("red", "blue", "green", "brown", "black", "grey")
    place = colours.index(deck)
    if place + 1 == len(colours):
        return deck, []
    new = colours[place + 1]
    events = [make_event("deck", what="removed", deck=deck, by="dealer")]
    steps = ("opened", "inspected", "spread", "washed") if style.chance(0.7) else ("opened",)
    return new, events + [make_event("deck", what=what, deck=new, by="dealer") for what in steps]
