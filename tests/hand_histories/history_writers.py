"""Played hands written in each format, and as records of a hand log without any reader."""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal
from typing import Any, get_args

from fairdeal.validator.evidence.event_kinds import EventKind
from tests.hand_histories.played_hands import POSTS, WAGERS, PlayedAct, PlayedHand

STREETS = ("Flop", "Turn", "River")
_OHH_ACTIONS = {
    **{"ante": "Post Ante", "small": "Post SB", "big": "Post BB", "dead": "Post Dead", "late": "Post Extra Blind"},
    **{"straddle": "Straddle", "fold": "Fold", "check": "Check", "call": "Call", "bet": "Bet", "raise": "Raise"},
    **{"show": "Shows Cards", "muck": "Mucks Cards"},
}
_STAKES = {"ante": "ante", "small": "small-blind", "big": "big-blind", "late": "big-blind", "dead": "dead-blind",
           "straddle": "straddle"}  # fmt: skip


def _units(minor: int) -> Decimal:
    return Decimal(minor) / 100


def split_cards(cards: str) -> list[str]:
    """Return the cards of a text, each by itself."""
    return [cards[at : at + 2] for at in range(0, len(cards), 2)]


def list_streets(hand: PlayedHand) -> list[str]:
    """Return the street of each board act of a hand, which may be run several times."""
    boards = [act for act in hand.acts if act.kind == "board"]
    last = max((at for at, act in enumerate(hand.acts) if act.kind in {*WAGERS, "check", "fold", *POSTS}), default=0)
    common = sum(act.kind == "board" for act in hand.acts[:last])
    streets = [*STREETS[:common]]
    each = (len(boards) - common) // hand.runs
    return streets + [*STREETS[common : common + each]] * hand.runs


def write_record(hand: PlayedHand, *, returned: bool) -> dict[str, Any]:
    """Write a hand as a record of a hand log; `returned` includes what went back of bets that nobody met."""
    stakes: list[dict[str, int]] = [{} for _ in hand.seats]
    events: list[dict[str, Any]] = []
    conceding = {act.player for act in hand.acts if act.kind == "muck"}
    for act in hand.acts:
        seat = hand.seats[act.player]
        match act.kind:
            case "board":
                events.append({"event": "deal", "place": "community", "cards": act.cards, "face": "up"})
                continue
            case "show":
                events.append({"event": "reveal", "place": "player", "seat": seat, "cards": act.cards})
                continue
            case "muck":
                events.append({"event": "decide", "seat": seat, "decision": "concede"})
                continue
        wager = _STAKES.get(act.kind, "bets")
        if act.paid:
            stakes[act.player][wager] = stakes[act.player].get(wager, 0) + act.paid
        if act.kind in POSTS:
            events.append({"event": "wager", "seat": seat, "wager": wager, "amount": act.paid})
        else:
            amount = {"amount": act.paid} if act.paid else {}
            events.append({"event": "decide", "seat": seat, "decision": act.kind, **amount})
    back = [*_list_returns(hand, stakes)] if returned else []
    played = [at for at, event in enumerate(events) if event.get("decision", "concede") != "concede"]
    posted = [at for at, event in enumerate(events) if event["event"] == "wager"]
    at = max([*played, *posted]) + 1
    events[at:at] = back
    if hand.rake:
        events.append({"event": "rake", "amount": hand.rake})
    shown = {act.player for act in hand.acts if act.kind == "show"}
    known = shown | conceding
    seats = [
        {
            "seat": seat,
            "player": hand.name(player),
            "stack": hand.stacks[player],
            "cards": hand.cards[player] if player in known else "????",
            "won": hand.won[player],
            "wagers": [{"wager": wager, "amount": amount} for wager, amount in stakes[player].items()],
        }
        for player, seat in enumerate(hand.seats)
    ]
    sizes = {"small-bet": hand.big, "big-bet": 2 * hand.big} if hand.is_fixed else {}
    recorded = {"wager", "decide", "deal", "misdeal", "rake", *(["return"] if returned and any(hand.returned) else [])}
    return {
        "round": str(hand.number),
        "table": "Kitchen",
        "time": "2024-04-07T14:32:50Z",
        "game": "poker-room",
        "currency": "USD",
        "button": hand.button,
        "seats": seats,
        "community": "".join(act.cards for act in hand.acts if act.kind == "board"),
        "events": events,
        "unrecorded": [*sorted(set(get_args(EventKind)) - recorded), "deal/dealer", "deal/burn", "deal/player"],
        **sizes,
    }


def _list_returns(hand: PlayedHand, stakes: list[dict[str, int]]) -> Iterator[dict[str, Any]]:
    for player, amount in enumerate(hand.returned):
        left = amount
        for wager in ("bets", "straddle", "big-blind", "small-blind"):
            part = min(left, stakes[player].get(wager, 0))
            if part:
                yield {"event": "return", "seat": hand.seats[player], "wager": wager, "amount": part}
            left -= part


def write_ohh(hand: PlayedHand, *, indent: int | None = None) -> str:
    """Write a hand as an Open Hand History object."""
    rounds: list[dict[str, Any]] = [{"id": 0, "street": "Preflop", "cards": [], "actions": []}]
    streets = iter(list_streets(hand))
    for act in hand.acts:
        if act.kind == "board":
            street = {"id": len(rounds), "street": next(streets), "cards": split_cards(act.cards), "actions": []}
            rounds.append(street)
            continue
        actions = rounds[-1]["actions"]
        cards = {"show": act.cards, "muck": hand.cards[act.player]}.get(act.kind)
        action = {"action_number": len(actions) + 1, "player_id": act.player, "action": _OHH_ACTIONS[act.kind],
                  "amount": float(_units(act.paid)), "is_allin": act.is_all_in}  # fmt: skip
        actions.append(action if cards is None else {**action, "cards": split_cards(cards)})
    wins = [{"player_id": player, "win_amount": float(_units(won))} for player, won in enumerate(hand.won) if won]
    players = [
        {"id": player, "seat": seat, "name": hand.name(player), "starting_stack": float(_units(hand.stacks[player]))}
        for player, seat in enumerate(hand.seats)
    ]
    total = float(_units(sum(hand.won) + hand.rake))
    return json.dumps(
        {
            "ohh": {
                "spec_version": "1.4.7",
                "site_name": "Kitchen Table",
                "network_name": "Home",
                "internal_version": "1",
                "tournament": False,
                "game_number": str(hand.number),
                "start_date_utc": "2024-04-07T14:32:50Z",
                "table_name": "Kitchen",
                "game_type": "Holdem",
                "bet_limit": {"bet_type": "FL" if hand.is_fixed else "NL", "bet_cap": 0.0},
                "table_size": 10,
                "currency": "USD",
                "dealer_seat": hand.button,
                "small_blind_amount": float(_units(hand.small)),
                "big_blind_amount": float(_units(hand.big)),
                "ante_amount": 0.0,
                "players": players,
                "rounds": rounds,
                "pots": [{"number": 0, "amount": total, "rake": float(_units(hand.rake)), "player_wins": wins}],
            }
        },
        ensure_ascii=False,
        indent=indent,
    )


def _money(minor: int) -> str:
    value = _units(minor)
    return f"${int(value):,}" if value == int(value) else f"${value:,.2f}"


def write_text(hand: PlayedHand, *, site: str = "PokerStars") -> str:
    """Write a hand as PokerStars or GGPoker do."""
    return "\n".join(_text_lines(hand, site)) + "\n\n\n"


def _text_lines(hand: PlayedHand, site: str) -> Iterator[str]:
    limit = "Limit" if hand.is_fixed else "No Limit"
    stakes = (hand.big, 2 * hand.big) if hand.is_fixed else (hand.small, hand.big)
    named = "/".join(map(_money, stakes))
    if site == "PokerStars":
        times = "2024/04/07 16:32:50 CET [2024/04/07 10:32:50 ET]"
        yield f"PokerStars Hand #{hand.number}:  Hold'em {limit} ({named} USD) - {times}"
    else:
        yield f"Poker Hand #HD{hand.number}: Hold'em {limit} ({named}) - 2024/04/07 14:32:50"
    yield f"Table 'Kitchen' 10-max Seat #{hand.button} is the button"
    for player, seat in sorted(enumerate(hand.seats), key=lambda entry: entry[1]):
        yield f"Seat {seat}: {hand.name(player)} ({_money(hand.stacks[player])} in chips) "
    betting = [act for act in hand.acts if act.kind in POSTS]
    for act in betting:
        yield from _post_lines(hand, act)
    yield "*** HOLE CARDS ***"
    if site != "PokerStars":
        yield from (f"Dealt to {hand.name(player)} " for player in range(len(hand.seats)))
    yield from _play_lines(hand)
    yield "*** SHOW DOWN ***" if site == "PokerStars" else "*** SHOWDOWN ***"
    yield from (f"{hand.name(player)} collected {_money(won)} from pot" for player, won in enumerate(hand.won) if won)
    yield "*** SUMMARY ***"
    extra = " " if site == "PokerStars" else " | Jackpot $0 | Bingo $0 | Fortune $0 | Tax $0"
    yield f"Total pot {_money(sum(hand.won) + hand.rake)} | Rake {_money(hand.rake)}{extra}"
    mucked = {act.player for act in hand.acts if act.kind == "muck"}
    for player, seat in sorted(enumerate(hand.seats), key=lambda entry: entry[1]):
        end = f"mucked [{' '.join(split_cards(hand.cards[player]))}]" if player in mucked else "folded on the Flop"
        yield f"Seat {seat}: {hand.name(player)}{' (button)' if seat == hand.button else ''} {end}"


def _post_lines(hand: PlayedHand, act: PlayedAct) -> Iterator[str]:
    all_in = " and is all-in" if act.is_all_in else ""
    name, paid = hand.name(act.player), act.paid
    dead = sum(post.paid for post in hand.acts if post.kind == "dead" and post.player == act.player)
    if act.kind == "dead":
        return
    if act.kind == "late" and dead:
        yield f"{name}: posts small & big blinds {_money(paid + dead)}"
        return
    what = {"ante": "the ante", "small": "small blind", "big": "big blind", "late": "big blind",
            "straddle": "straddle"}[act.kind]  # fmt: skip
    yield f"{name}: posts {what} {_money(paid)}{all_in}"


def _play_lines(hand: PlayedHand) -> Iterator[str]:
    streets = list_streets(hand)
    boards: list[str] = []
    level = max((act.total for act in hand.acts if act.kind in POSTS), default=0)
    last = max((at for at, act in enumerate(hand.acts) if act.kind in {*WAGERS, "check", "fold"}), default=-1)
    if last < 0:
        yield from _return_lines(hand)
    for at, act in enumerate(hand.acts):
        name = hand.name(act.player) if act.player >= 0 else ""
        all_in = " and is all-in" if act.is_all_in else ""
        match act.kind:
            case "board":
                yield _street_line(hand, streets, boards, act)
                level = 0
            case "fold":
                yield f"{name}: folds"
            case "check":
                yield f"{name}: checks"
            case "call":
                yield f"{name}: calls {_money(act.paid)}{all_in}"
            case "bet":
                yield f"{name}: bets {_money(act.paid)}{all_in}"
            case "raise":
                yield f"{name}: raises {_money(max(act.total - level, 0))} to {_money(act.total)}{all_in}"
            case "show":
                yield f"{name}: shows [{' '.join(split_cards(act.cards))}] (high card)"
            case "muck":
                yield f"{name}: mucks hand"
        if act.kind in ("bet", "raise"):
            level = act.total
        if at == last:
            yield 'Bo B. said, "Ann: folds"'
            yield from _return_lines(hand)


def _return_lines(hand: PlayedHand) -> Iterator[str]:
    for player, amount in enumerate(hand.returned):
        if amount:
            yield f"Uncalled bet ({_money(amount)}) returned to {hand.name(player)}"


def _street_line(hand: PlayedHand, streets: list[str], boards: list[str], act: PlayedAct) -> str:
    street = streets[len(boards)]
    boards.append(act.cards)
    run = streets[: len(boards)].count(street)
    is_repeated = streets.count(street) > 1
    before = "".join(_earlier_cards(streets, boards[:-1], street, run))
    word = f"{('FIRST', 'SECOND')[run - 1]} " if is_repeated else ""
    shown = f" [{' '.join(split_cards(before))}]" if before else ""
    return f"*** {word}{street.upper()} ***{shown} [{' '.join(split_cards(act.cards))}]"


def _earlier_cards(streets: list[str], boards: list[str], street: str, run: int) -> Iterator[str]:
    for earlier in STREETS[: STREETS.index(street)]:
        places = [at for at, name in enumerate(streets[: len(boards)]) if name == earlier]
        yield boards[places[min(run, len(places)) - 1]]
