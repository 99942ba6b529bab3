"""A game that uses what the verifier looks at."""

# Moves, a cycle that depends on the state, and a count.
GAME = """
(role a) (role b) (init (at 1)) (edge 1 2) (edge 2 3) (edge 3 1)
(<= (legal ?r (open ?x)) (role ?r) (edge ?x ?y))
(<= (next (at ?x)) (true (at ?x)))
(<= (next (door ?x)) (does ?r (open ?x)) (not (true (door ?x))))
(<= (next (door ?x)) (true (door ?x)) (not (does a (open ?x))))
(<= (reach ?x) (true (at ?x)))
(<= (reach ?y) (reach ?x) (edge ?x ?y) (true (door ?x)))
(<= (next (at ?x)) (reach ?x))
(<= terminal (reach 3) (true (at 2)))
(<= (goal ?r 100) (role ?r) (count 2 (reach ?x))) (<= (goal ?r 0) (role ?r) (not (reach 2)))
"""
