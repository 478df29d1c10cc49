"""Referee of craps: a round is one roll, and undecided stakes stay for the next one."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from tests.lawful.record import Event, make_event
from tests.templates.referees.core import (
    CALL,
    Key,
    Referee,
    Result,
    Round,
    Violations,
    bet_late,
    call_late,
    exceed_maximum,
    increase_late,
    key_of,
    lose,
    may_add,
    omit,
    omit_call,
    pick,
    undercut_minimum,
    win,
)

POINTS = (4, 5, 6, 8, 9, 10)
TRUE_ODDS = {4: Fraction(2), 5: Fraction(3, 2), 6: Fraction(6, 5)}
TRUE_ODDS |= {14 - number: odds for number, odds in TRUE_ODDS.items()}
PLACE_ODDS = {4: Fraction(9, 5), 5: Fraction(7, 5), 6: Fraction(7, 6)}
PLACE_ODDS |= {14 - number: odds for number, odds in PLACE_ODDS.items()}
MULTIPLES = {4: 3, 5: 4, 6: 5, 8: 5, 9: 4, 10: 3}
"""Odds that may be placed behind a wager (13)."""
LAID = 6
ODDS_OF = {"pass": "pass-odds", "dont-pass": "dont-pass-odds", "come": "come-odds", "dont-come": "dont-come-odds"}
LIMITS = dict.fromkeys((*ODDS_OF, "field"), (1_000, 100_000)) | {"place": (1_000, 120_000)}


def settle_number(wager: str, number: int, total: int, stake: int, odds: Fraction) -> Result | None:
    """Return the outcome of a wager with a number, or None if it stays."""
    is_against = wager.startswith("dont")
    if total not in {7, number}:
        return None
    is_won = (total == 7) == is_against
    return win(stake, odds) if is_won else lose(stake)


def settle_first(wager: str, total: int, stake: int) -> Result | None:
    """Return the outcome of a line wager on its first roll, or None if it stays (20), (22), (24), (25)."""
    if total in POINTS:
        return None
    if wager.startswith("dont"):
        return Result() if total == 12 else lose(stake) if total in {7, 11} else win(stake, 1)
    return win(stake, 1) if total in {7, 11} else lose(stake)


def settle_key(key: Key, stake: int, point: int, total: int, *, is_on: bool = False) -> Result | None:
    """Return the outcome of a stake, or None if it stays; `point` is 0 on a come-out roll."""
    _, wager, on = key
    number = int(on[0]) if on else point
    if wager == "field":
        return win(stake, {2: 2, 12: 3}.get(total, 1)) if total in {2, 3, 4, 9, 10, 11, 12} else lose(stake)
    if wager == "place":
        if (not point and not is_on) or total not in {7, number}:
            return None
        return win(stake, PLACE_ODDS[number]) if total == number else lose(stake)
    if wager in ODDS_OF:
        has_number = bool(on) or (wager in {"pass", "dont-pass"} and point)
        return (
            settle_number(wager, number, total, stake, Fraction(1)) if has_number else settle_first(wager, total, stake)
        )
    odds = TRUE_ODDS[number]
    found = settle_number(wager, number, total, stake, 1 / odds if wager.startswith("dont") else odds)
    if found and wager == "come-odds" and not point and not is_on:
        return Result()
    return found


def has_event(round_: Round, key: Key) -> bool:
    """Return whether an event concerns a stake."""
    return any(key_of(event) == key for event in round_.events if "wager" in event)


def limit_odds(wager: str, number: int, stake: int) -> int:
    """Return the most that may be placed behind a wager, or laid against it."""
    return stake * (LAID if wager.startswith("dont") else MULTIPLES[number])


class Craps(Referee):
    """Two dice, a point, and stakes that stay."""

    game = "craps"
    session = 12
    kinds: tuple[str, ...] = ("return", "announce", "device")
    limits = LIMITS

    def play(self, round_: Round, table: dict[str, Any]) -> None:
        rng = round_.rng
        point: int = table.setdefault("point", 0)
        seats: list[int] = table.setdefault("seats", round_.sit(8, 2))
        round_.players = {seat: f"P{seat}" for seat in seats}
        round_.carried = dict(table.setdefault("stakes", {}))
        round_.facts |= {"point": point, "linked": []}
        round_.place_all([self.place_stakes(round_, seat, point) for seat in seats])
        called = [
            key for key in round_.carried if key[1] in {"place", "come-odds"} and not point and round_.chance(0.1)
        ]
        for key in called:
            round_.add("announce", what="working", by="player", seat=key[0])
        working = {key[0] for key in called}
        if round_.chance(0.03):
            round_.add("announce", what=CALL)
            round_.add("fault", what="a die left the table")
            round_.add("announce", what="no-roll")
        round_.add("announce", what=CALL)
        stakes = {key: stake.amount for key, stake in round_.stakes().items() if stake.amount}
        if round_.chance(0.05) and may_add(round_, (seats[0], "field", ()), stakes):
            late = [make_event(kind, seat=seats[0], wager="field", amount=1_000) for kind in ("wager", "return")]
            round_.events += late
            round_.facts["late"] = late
        dice = [rng.randint(1, 6), rng.randint(1, 6)]
        total = sum(dice)
        round_.facts |= {"total": total}
        round_.add("outcome", what="dice", value="".join(str(die) for die in dice))
        results: dict[Key, Result] = {}
        kept: dict[Key, int] = {}
        for key, stake in stakes.items():
            found = settle_key(key, stake, point, total, is_on=key[0] in working)
            if found is None:
                moved = (*key[:2], (str(total),)) if key[1] in {"come", "dont-come"} and not key[2] else key
                kept[moved] = stake
                round_.facts.setdefault("stays", set()).add(key)
            else:
                results[key] = found
                if key[1] == "place" and found.paid:
                    kept[key] = stake
                    round_.facts.setdefault("stays", set()).add(key)
        round_.settle(results)
        table["stakes"] = kept
        if point:
            table["point"] = 0 if total in {7, point} else point
        elif total in POINTS:
            table["point"] = total

    def place_stakes(self, round_: Round, seat: int, point: int) -> list[Event]:
        """Return what a player places, increases or takes back before a roll."""
        rng = round_.rng
        own = {key: stake for key, stake in round_.carried.items() if key[0] == seat}
        events: list[Event] = []
        lines = ("pass", "dont-pass") if not point else ("come", "dont-come")
        if rng.random() < 0.8 and not any(key[1] in lines and not key[2] for key in own):
            events += round_.place(seat, rng.choice(lines), round_.choose_amount("pass"))
        for key, stake in own.items():
            _, wager, on = key
            number = int(on[0]) if on else point
            if wager in ODDS_OF and number and rng.random() < 0.4:
                events += self.place_odds(round_, key, number, stake, own)
            elif wager == "place" and rng.random() < 0.1:
                events.append(make_event("withdraw", seat=seat, wager=wager, selection=" ".join(on), amount=stake))
        if rng.random() < 0.3:
            number = rng.choice(POINTS)
            step = 600 if number in {6, 8} else 500
            if (seat, "place", (str(number),)) not in own:
                events += round_.place(seat, "place", step * rng.choice([2, 4, 10]), (str(number),))
        if rng.random() < 0.2:
            events += round_.place(seat, "field", round_.choose_amount("field"))
        return events

    def place_odds(self, round_: Round, key: Key, number: int, stake: int, own: dict[Key, int]) -> list[Event]:
        seat, wager, on = key
        behind = ODDS_OF[wager]
        if (seat, behind, on) in own:
            if round_.chance(0.2):
                amount = own[seat, behind, on]
                return [make_event("withdraw", seat=seat, wager=behind, selection=" ".join(on) or None, amount=amount)]
            return []
        most = limit_odds(wager, number, stake)
        amount = most if round_.rng.random() < 0.5 else stake
        return round_.place(seat, behind, amount, on, is_final=True)


REFEREE = Craps()
REFEREE.violations = VIOLATIONS = Violations()
VIOLATIONS.add_payments(
    {"pass": "(26)", "dont-pass": "(26)", "come": "(26)", "pass-odds": "(27)", "place": "(29)", "field": "(31)"}
)
VIOLATIONS.put("no-call", "(10)", omit_call)
VIOLATIONS.put("call-after-the-roll", "(10)", call_late)
VIOLATIONS.put("wager-after-the-call-is-settled", "(35)", bet_late)
VIOLATIONS.put("winning-wager-is-increased-after-the-roll", "(35)", increase_late)
VIOLATIONS.put("no-roll-is-recorded", "(4)", omit("outcome"))
VIOLATIONS.put("field-above-the-maximum", "(18)", lambda round_: exceed_maximum(round_, "field"))
VIOLATIONS.put("field-below-the-minimum", "(18)", lambda round_: undercut_minimum(round_, "field"))


@VIOLATIONS.breaks("(22)")
def twelve_wins_for_dont_pass(round_: Round) -> bool:
    event = pick(round_, "return", wager="dont-pass")
    if event is None or round_.facts["total"] != 12:
        return False
    event["event"] = "pay"
    return True


@VIOLATIONS.breaks("(22)")
def twelve_loses_for_dont_pass(round_: Round) -> bool:
    event = pick(round_, "return", wager="dont-pass")
    if event is None or round_.facts["total"] != 12:
        return False
    event["event"] = "collect"
    return True


@VIOLATIONS.breaks("(31)")
def field_pays_double_on_twelve(round_: Round) -> bool:
    event = pick(round_, "pay", wager="field")
    if event is None or round_.facts["total"] != 12:
        return False
    event["amount"] = event["amount"] * 2 // 3
    return True


@VIOLATIONS.breaks("(33)")
def payment_before_collections(round_: Round) -> bool:
    paid, lost = round_.all("pay"), round_.all("collect")
    if not paid or not lost:
        return False
    round_.move(paid[0], round_.place_of(lost[0]))
    return True


@VIOLATIONS.breaks("(33)")
def settled_before_the_roll(round_: Round) -> bool:
    lost = round_.all("collect")
    if not lost:
        return False
    round_.move(lost[0], round_.place_of(round_.all("outcome")[0]))
    return True


@VIOLATIONS.breaks("(11)")
def pass_is_placed_with_a_point(round_: Round) -> bool:
    if not round_.facts["point"] or any(key[1] == "pass" for key in round_.carried) or round_.facts["total"] == 7:
        return False
    call = round_.all("announce", what=CALL)[0]
    seat = max(round_.players)
    round_.events.insert(round_.place_of(call), make_event("wager", seat=seat, wager="pass", amount=1_000))
    if round_.facts["total"] == round_.facts["point"]:
        round_.add("pay", seat=seat, wager="pass", amount=1_000)
    return True


@VIOLATIONS.breaks("(11)")
def come_is_placed_without_a_point(round_: Round) -> bool:
    if round_.facts["point"] or round_.facts["total"] not in {7, 11}:
        return False
    call = round_.all("announce", what=CALL)[0]
    seat = max(round_.players)
    round_.events.insert(round_.place_of(call), make_event("wager", seat=seat, wager="come", amount=1_000))
    round_.add("pay", seat=seat, wager="come", amount=1_000)
    return True


@VIOLATIONS.breaks("(12)")
def pass_is_taken_back_with_a_point(round_: Round) -> bool:
    for key, stake in round_.carried.items():
        if key[1] == "pass" and round_.facts["total"] not in {7, round_.facts["point"]}:
            call = round_.all("announce", what=CALL)[0]
            event = make_event("withdraw", seat=key[0], wager="pass", amount=stake)
            round_.events.insert(round_.place_of(call), event)
            return True
    return False


@VIOLATIONS.breaks("(12)")
def dont_pass_is_increased_with_a_point(round_: Round) -> bool:
    for key in round_.carried:
        if key[1] == "dont-pass" and round_.facts["total"] not in {7, round_.facts["point"]}:
            call = round_.all("announce", what=CALL)[0]
            event = make_event("wager", seat=key[0], wager="dont-pass", amount=1_000)
            round_.events.insert(round_.place_of(call), event)
            return True
    return False


@VIOLATIONS.breaks("(13)")
def odds_of_ten_times(round_: Round) -> bool:
    event = pick(round_, "wager", wager="pass-odds")
    if event is None or round_.facts["total"] in {7, round_.facts["point"]}:
        return False
    event["amount"] = 10 * round_.carried[event["seat"], "pass", ()]
    return True


@VIOLATIONS.breaks("(14)")
def odds_of_ten_times_are_laid(round_: Round) -> bool:
    event = pick(round_, "wager", wager="dont-pass-odds")
    if event is None or round_.facts["total"] in {7, round_.facts["point"]}:
        return False
    event["amount"] = 10 * round_.carried[event["seat"], "dont-pass", ()]
    return True


@VIOLATIONS.breaks("(13)")
def odds_without_a_pass_wager(round_: Round) -> bool:
    free = [seat for seat in round_.players if (seat, "pass", ()) not in round_.carried]
    if not free or not round_.facts["point"] or round_.facts["total"] in {7, round_.facts["point"]}:
        return False
    call = round_.all("announce", what=CALL)[0]
    event = make_event("wager", seat=free[0], wager="pass-odds", amount=1_000)
    round_.events.insert(round_.place_of(call), event)
    return True


@VIOLATIONS.breaks("(17)")
def place_on_six_is_no_multiple(round_: Round) -> bool:
    event = pick(round_, "wager", wager="place", selection="6")
    if event is None or round_.facts["total"] in {6, 7}:
        return False
    event["amount"] += 100
    return True


@VIOLATIONS.breaks("(19)")
def stake_vanishes_between_rolls(round_: Round) -> bool:
    for key in list(round_.carried):
        if key in round_.facts.get("stays", ()) and not has_event(round_, key):
            del round_.carried[key]
            return True
    return False


@VIOLATIONS.breaks("(19)")
def stake_grows_between_rolls(round_: Round) -> bool:
    for key in list(round_.carried):
        if key in round_.facts.get("stays", ()) and key[1] == "pass":
            round_.carried[key] *= 2
            return True
    return False


@VIOLATIONS.breaks("(30)")
def place_loses_while_off(round_: Round) -> bool:
    for key, stake in round_.carried.items():
        if key[1] == "place" and not round_.facts["point"] and round_.facts["total"] == 7:
            if has_event(round_, key):
                continue
            round_.add("collect", seat=key[0], wager="place", selection=" ".join(key[2]), amount=stake)
            return True
    return False


@VIOLATIONS.breaks("(20)")
def pass_loses_on_a_number(round_: Round) -> bool:
    event = pick(round_, "wager", wager="pass")
    if event is None or round_.facts["total"] not in POINTS:
        return False
    amount = round_.stakes()[event["seat"], "pass", ()].amount
    round_.add("collect", seat=event["seat"], wager="pass", amount=amount)
    return True


@VIOLATIONS.breaks("(24)")
def come_loses_on_a_number(round_: Round) -> bool:
    event = pick(round_, "wager", wager="come")
    if event is None or round_.facts["total"] not in POINTS:
        return False
    amount = round_.stakes()[event["seat"], "come", ()].amount
    round_.add("collect", seat=event["seat"], wager="come", amount=amount)
    return True


@VIOLATIONS.breaks("(28)")
def odds_on_come_lose_on_the_come_out_roll(round_: Round) -> bool:
    event = pick(round_, "return", wager="come-odds")
    if event is None or round_.facts["point"] or round_.facts["total"] != 7:
        return False
    event["event"] = "collect"
    return True
