"""Hands written for these tests, by name."""

from __future__ import annotations

_NO_LIMIT = """variant = 'NT'
ante_trimming_status = true
antes = [0, 0, 0]
blinds_or_straddles = [5, 10, 0]
min_bet = 10
starting_stacks = [1000, 1000, 1000]
actions = [
  'd dh p1 AhKh', 'd dh p2 7c2d', 'd dh p3 QsQd',
  'p3 cbr 30 # the usual size', 'p1 cc', 'p2 f',
  '# a long pause', '',
  'd db 2h9hJs', 'p1 cc', 'p3 cbr 45.50', 'p1 cc',
  'd db 4c', 'p1 cc', 'p3 cc',
  'd db 5h', 'p1 cbr 200', 'p3 cc',
  'p1 sm AhKh', 'p3 sm',
]
finishing_stacks = [1285.50, 990, 724.50]
hand = 'NL 1'
table = 'Oak'
seats = [8, 2, 5]
players = ['Ann', '', 'Cy']
day = 3
month = 2
year = 2026
time = 21:05:30
_mood = 'quiet'
"""

_FIXED_LIMIT = """variant = "FT"
ante_trimming_status = true
antes = [0, 0, 0]
blinds_or_straddles = [2, 4, 0]
small_bet = 4
big_bet = 8
starting_stacks = [100, 100, 100]
actions = ["d dh p1 ????", "d dh p2 AsAd", "d dh p3 8h8c", "p3 cbr 8", "p1 f", "p2 cbr 12", "p3 cc",
           "d db 3s4s5d", "p2 cbr 4", "p3 cbr 8", "p2 cc", "d db 6c", "p2 cc", "p3 cc", "d db Kd", "p2 cbr 8", "p3 f"]
finishing_stacks = [98, 122, 80]
"""

_HEADS_UP = """variant = 'NT'
ante_trimming_status = false
antes = [1, 0]
blinds_or_straddles = [5, 10]
min_bet = 10
starting_stacks = [200, 300]
actions = ['d dh p1 AcAd', 'd dh p2 KcKd', 'p2 cc', 'p1 cc', 'd db 2c3c4d', 'p1 cbr 10', 'p2 f']
finishing_stacks = [211, 289]
"""

_ANTES = """variant = 'NT'
ante_trimming_status = true
antes = [2, 2, 2, 2]
blinds_or_straddles = [5, 10, 0, 0]
min_bet = 10
starting_stacks = [100, 100, 100, 1]
actions = ['d dh p1 Ac2d', 'd dh p2 KcKd', 'd dh p3 9c9d', 'd dh p4 3c4d', 'p3 f', 'p1 f', 'p2 cc',
           'p2 sm KcKd', 'p4 sm 3c4d', 'd db 2c3s4h', 'd db 7d', 'd db 8s']
finishing_stacks = [93, 106, 98, 4]
"""

_BIG_BLIND_ANTE = """variant = 'NT'
ante_trimming_status = false
antes = [0, 10, 0]
blinds_or_straddles = [5, 10, 0]
min_bet = 10
starting_stacks = [100, 15, 100]
actions = ['d dh p1 Ac2d', 'd dh p2 KcKd', 'd dh p3 9c9d', 'p3 cbr 20', 'p1 f', 'p2 sm KcKd', 'p3 sm 9c9d',
           'd db 2c3s4h', 'd db 7d', 'd db 8s']
finishing_stacks = [95, 25, 95]
"""

_DEAD_BLIND = """variant = 'NT'
ante_trimming_status = false
antes = [0, 0, 0, 0]
blinds_or_straddles = [5, 10, -5, 0]
min_bet = 10
starting_stacks = [100, 100, 100, 100]
actions = ['d dh p1 ????', 'd dh p2 ????', 'd dh p3 ????', 'd dh p4 ????', 'p3 cc', 'p4 f', 'p1 f', 'p2 cc',
           'd db 2c3s4h', 'p2 cc', 'p3 cbr 20', 'p2 f']
finishing_stacks = [95, 90, 115, 100]
"""

_SIDE_POTS = """variant = 'NT'
ante_trimming_status = true
antes = [0, 0, 0, 0]
blinds_or_straddles = [5, 10, 0, 0]
min_bet = 10
starting_stacks = [300, 80, 33, 300]
actions = ['d dh p1 AcAd', 'd dh p2 KcKd', 'd dh p3 QcQd', 'd dh p4 JcTd', 'p3 cbr 33', 'p4 cc', 'p1 cc', 'p2 cbr 80',
           'p4 cc', 'p1 cc', 'd db 2c3s4h', 'p1 cbr 100', 'p4 f', 'p1 sm AcAd', 'p2 sm KcKd', 'p3 sm QcQd',
           'd db 7d', 'd db 8s']
finishing_stacks = [493, 0, 0, 220]
"""

_SHORT_RAISE = """variant = 'NT'
ante_trimming_status = true
antes = [0, 0, 0]
blinds_or_straddles = [5, 10, 0]
min_bet = 10
starting_stacks = [45, 200, 200]
actions = ['d dh p1 AcAd', 'd dh p2 KcKd', 'd dh p3 QcQd', 'p3 cbr 30', 'p1 cbr 45', 'p2 cc', 'p3 cc',
           'd db 2c3s4h', 'p2 cc', 'p3 cc', 'd db 7d', 'p2 cc', 'p3 cc', 'd db 8s', 'p2 cc', 'p3 cc',
           'p2 sm KcKd', 'p3 sm', 'p1 sm -']
finishing_stacks = [135, 155, 155]
"""

_SHORT_BIG_BLIND = """variant = 'NT'
ante_trimming_status = true
antes = [0, 0, 0]
blinds_or_straddles = [5, 10, 0]
min_bet = 10
starting_stacks = [100, 7, 100]
actions = ['d dh p1 AcAd', 'd dh p2 KcKd', 'd dh p3 QcQd', 'p3 cc', 'p1 cbr 30', 'p3 cc',
           'd db 2c3s4h', 'p1 cc', 'p3 cc']
"""

_PARTIAL = """variant = 'NT'
ante_trimming_status = true
antes = [0, 0, 0]
blinds_or_straddles = [5, 10, 0]
min_bet = 10
starting_stacks = [100, 100, 100]
actions = ['d dh p1 AcAd', 'd dh p2 ??Kd', 'd dh p3 QcQd', 'p3 cc']
"""

_WALK = """variant = 'NT'
ante_trimming_status = true
antes = [0, 0, 0]
blinds_or_straddles = [5, 10, 0]
min_bet = 10
starting_stacks = [100, 100, 100]
actions = ['d dh p1 ????', 'd dh p2 ????', 'd dh p3 ????', 'p3 f', 'p1 f']
finishing_stacks = [95, 105, 100]
winnings = [0, 10, 0]
venue = 'A Network'
"""

_STRADDLE = """variant = 'NT'
ante_trimming_status = true
antes = [0, 0, 0, 0]
blinds_or_straddles = [5, 10, 20, 0]
min_bet = 10
starting_stacks = [100, 100, 100, 100]
actions = ['d dh p1 AcAd', 'd dh p2 KcKd', 'd dh p3 QcQd', 'd dh p4 JcTd', 'p4 cc', 'p1 f', 'p2 cc', 'p3 cc',
           'd db 2c3s4h', 'p2 cbr 20', 'p3 f', 'p4 f']
finishing_stacks = [95, 145, 80, 80]
"""

SOUND = {
    "no-limit": _NO_LIMIT,
    "fixed-limit": _FIXED_LIMIT,
    "heads-up": _HEADS_UP,
    "antes": _ANTES,
    "big-blind-ante": _BIG_BLIND_ANTE,
    "dead-blind": _DEAD_BLIND,
    "side-pots": _SIDE_POTS,
    "short-raise": _SHORT_RAISE,
    "short-big-blind": _SHORT_BIG_BLIND,
    "partial": _PARTIAL,
    "walk": _WALK,
    "straddle": _STRADDLE,
}
