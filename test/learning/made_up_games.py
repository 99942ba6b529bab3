"""Small games that show one thing each."""

# Four words are said, one at a time; both roles may always speak, so the turn rule decides.
# Whoever says the last word wins.
TALK = """
(role a) (role b)
(init (said 0)) (init (sees a start)) (init (sees b start))
(number 0) (number 1) (number 2) (number 3)
(<= (legal ?r (say yes)) (role ?r))
(<= (legal ?r (say no)) (role ?r))
(<= (next (said ?m)) (true (said ?n)) (add ?n 1 ?m))
(<= (next (by ?r)) (does ?r (say ?w)))
(<= terminal (true (said 4)))
(<= (goal ?r 100) (role ?r) (true (by ?r)))
(<= (goal ?r 0) (role ?r) (not (true (by ?r))))
"""

# A coin is tossed; then both call heads or tails at the same time.
TOSS = """
(role a) (role b) (role random) (caller a) (caller b) (side heads) (side tails)
(init (phase toss))
(<= (legal random (toss ?s)) (true (phase toss)) (side ?s))
(<= (legal ?r (call ?s)) (true (phase call)) (caller ?r) (side ?s))
(<= (next (phase call)) (true (phase toss)))
(<= (next (phase done)) (true (phase call)))
(<= (next (coin ?s)) (does random (toss ?s)))
(<= (next (coin ?s)) (true (coin ?s)))
(<= (next (called ?r ?s)) (does ?r (call ?s)))
(<= terminal (true (phase done)))
(<= (right ?r) (true (called ?r ?s)) (true (coin ?s)))
(<= (goal ?r 100) (caller ?r) (right ?r))
(<= (goal ?r 0) (caller ?r) (not (right ?r)))
"""
