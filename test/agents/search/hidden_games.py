"""Small games that hide something, each in a way of its own, for tests of what players know."""

from __future__ import annotations

# A deal names who gets the card, and when; cards are numbers. Two must play a
# low one if it can, or pass.
NUMBERED = """
(role random) (role one) (role two)
(after one two) (after two one) (init (due one 1))
(succ 1 2) (succ 2 3) (succ 3 4)
(card 1) (card 2) (card 3) (card 4) (card 5) (card 6)
(low 1) (low 2) (low 3) (low 5)
(<= (gone ?c) (true (sees ?p (hand ?c))))
(<= (legal random (deal ?n ?p ?c)) (true (due ?p ?n)) (card ?c) (not (gone ?c)))
(<= (next (sees ?p (hand ?c))) (does random (deal ?n ?p ?c)))
(<= (next (due ?q ?m)) (true (due ?p ?n)) (succ ?n ?m) (after ?p ?q))
(<= (next (turn one)) (true (due ?p 4)))
(<= (next (turn ?q)) (true (turn ?p)) (after ?p ?q))
(<= (next (sees ?p (hand ?c))) (true (sees ?p (hand ?c))) (not (does ?p (play ?c))))
(<= (next (table ?c)) (or (does ?p (play ?c)) (true (table ?c))))
(<= has_low (true (sees two (hand ?c))) (low ?c))
(<= (legal one (play ?c)) (true (turn one)) (true (sees one (hand ?c))))
(<= (legal two (play ?c)) (true (turn two)) (true (sees two (hand ?c))) (low ?c))
(<= (legal two (play ?c)) (true (turn two)) (true (sees two (hand ?c))) (not has_low))
(<= (legal two pass) (true (turn two)))
(<= (holds ?p) (true (sees ?p (hand ?c))))
(<= terminal (true (turn one)) (not (holds one))) (goal one 50) (goal two 50)
"""

# Cards are drawn two at a time, and one puts a card away that nobody sees again.
PAIRS = """
(role random) (role one) (role two)
(card a) (card b) (card c) (card d) (card e) (card f)
(before a b) (before b c) (before c d) (before d e) (before e f)
(<= (lower ?x ?y) (before ?x ?y)) (<= (lower ?x ?z) (before ?x ?y) (lower ?y ?z))
(init (step one))
(<= (gone ?c) (true (sees ?p (hand ?c))))
(<= (legal random (give ?x ?y)) (true (step ?p)) (role ?p) (lower ?x ?y)
    (not (gone ?x)) (not (gone ?y)))
(<= (next (sees ?p (hand ?x))) (does random (give ?x ?y)) (true (step ?p)))
(<= (next (sees ?p (hand ?y))) (does random (give ?x ?y)) (true (step ?p)))
(<= (next (step two)) (true (step one))) (<= (next (step away)) (true (step two)))
(<= (next (step ask)) (true (step away))) (<= (next (step show)) (true (step ask)))
(<= (next (step end)) (true (step show)))
(<= (legal one (put ?c)) (true (step away)) (true (sees one (hand ?c))))
(<= (legal two (put ?c)) (true (step ask)) (true (sees two (hand ?c))))
(<= (legal one (show ?c)) (true (step show)) (true (sees one (hand ?c))))
(<= (legal one wait) (true (step show)))
(<= (next (sees ?p (hand ?c))) (true (sees ?p (hand ?c))) (not (does ?p (put ?c))))
(<= (next (shown ?c)) (or (does one (show ?c)) (true (shown ?c))))
(<= terminal (true (step end))) (goal one 50) (goal two 50)
"""

# Both hide a thing at once; then each guesses, and hears whether it was right (GDL-II).
GUESSES = """
(role one) (role two) (role random)
(other one two) (other two one) (place 1) (place 2) (place 3) (place 4)
(coin heads) (coin tails)
(init hiding)
(<= (legal ?p (hide ?x)) (true hiding) (other ?p ?q) (place ?x))
(<= (legal random (flip ?c)) (coin ?c))
(<= (legal ?p (guess ?x)) (not (true hiding)) (other ?p ?q) (place ?x))
(<= (next (at ?p ?x)) (does ?p (hide ?x))) (<= (next (at ?p ?x)) (true (at ?p ?x)))
(<= (next (found ?p)) (does ?p (guess ?x)) (other ?p ?q) (true (at ?q ?x)))
(<= (next (found ?p)) (true (found ?p)))
(<= (sees ?p warm) (does ?p (guess ?x)) (other ?p ?q) (true (at ?q ?x)) (does random (flip heads)))
(<= (sees ?p (tried ?q)) (does ?q (guess 1)) (other ?p ?q))
(<= (next (count 1)) (true hiding)) (<= (next (count 2)) (true (count 1)))
(<= (next (count 3)) (true (count 2))) (<= (next (count 4)) (true (count 3)))
(<= terminal (true (count 4))) (goal one 50) (goal two 50)
"""

# One moves unseen on a ring; two probes a place and learns whether it is near. Dice decide more.
STALKER = """
(role one) (role two) (role random)
(place 1) (place 2) (place 3) (place 4) (place 5)
(step 1 2) (step 2 3) (step 3 4) (step 4 5) (step 5 1)
(<= (near ?x ?y) (step ?x ?y)) (<= (near ?x ?y) (step ?y ?x))
(init (turn random))
(<= (legal random (drop ?x)) (true (turn random)) (place ?x) (not started))
(<= started (true (sees one (at ?x))))
(<= (next (sees one (at ?x))) (does random (drop ?x)))
(<= (next (sees one (at ?x))) (true (sees one (at ?x))) (not (true (turn one))))
(<= (next (sees one (at ?y))) (does one (go ?y)))
(<= (legal one (go ?y)) (true (turn one)) (true (sees one (at ?x))) (near ?x ?y))
(<= (legal two (probe ?x)) (true (turn two)) (place ?x))
(<= (next (turn one)) (true (turn random))) (<= (next (turn two)) (true (turn one)))
(<= (next (turn one)) (true (turn two)))
(<= (next (hot ?x)) (does two (probe ?x)) (true (sees one (at ?x))))
(<= (next (cold ?x)) (does two (probe ?x)) (not (true (sees one (at ?x)))))
(<= (next (cold ?x)) (true (cold ?x)) (true (turn one)))
(<= (next (probes 1)) (true (turn random)))
(<= (next (probes ?n)) (true (probes ?m)) (succ ?m ?n) (true (turn two)))
(<= (next (probes ?n)) (true (probes ?n)) (not (true (turn two))))
(succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)
(<= terminal (true (probes 5))) (<= terminal (true (hot ?x)))
(goal one 50) (goal two 50)
"""

# The roles from whom something is hidden.
BLINDFOLDED = {'stalker': ('two',)}

SHAPES = {'numbered': NUMBERED, 'pairs': PAIRS, 'guesses': GUESSES, 'stalker': STALKER}
