"""What rules mean, as a table for every engine: rules, and the answers they give."""

from __future__ import annotations

# A game around the rules under test: `(answer …)` facts become the legal moves of `me`.
FRAME = (
    '(role me) (init start) (<= (next start) (true start)) (goal me 50) (<= terminal (true end))'
)


def text_of(rules: str, frame: str = FRAME) -> str:
    """Return a game in which the x of all (answer x) are the moves (say x)."""
    return f'{frame}\n(<= (legal me (say ?x)) (answer ?x))\n{rules}'


# Name of the case: rules, and the x of all (answer x) that hold.
CASES: dict[str, tuple[str, list[str]]] = {
    'facts': ('(answer a) (answer b) (answer a)', ['a', 'b']),
    'order of literals has no meaning': (
        '(p a) (p b) (<= (answer ?x) (distinct ?x a) (p ?x))',
        ['b'],
    ),
    'endless arithmetic waits for its binder': (
        '(p 1) (p 2) (p 3) (p 4)'
        '(<= (answer (even ?n)) (mod ?n 2 0) (p ?n))'
        '(<= (answer (sum ?a ?b)) (p ?a) (p ?b) (add ?a ?b ?s) (mod ?s 4 0))'
        '(<= (odd ?n ?r) (p ?n) (mod ?n 2 ?r)) (<= (answer (odd ?n)) (odd ?n 1))'
        '(<= (answer (zero ?n)) (mult 0 ?n 0) (p ?n) (div 4 ?n 1))',
        [
            *('(even 2)', '(even 4)', '(odd 1)', '(odd 3)'),
            *('(sum 1 3)', '(sum 2 2)', '(sum 3 1)', '(sum 4 4)', '(zero 3)', '(zero 4)'),
        ],
    ),
    'negation before its binder': (
        '(p a) (p b) (q a) (<= (answer ?x) (not (q ?x)) (p ?x))',
        ['b'],
    ),
    'undefined is false': (
        '(p a) (<= (answer ?x) (p ?x) (not (nowhere ?x))) (<= (answer no) (nowhere ?x))',
        ['a'],
    ),
    'or': ('(p a) (q b) (<= (answer ?x) (or (p ?x) (q ?x)))', ['a', 'b']),
    'or of tests waits for its variables': (
        '(p a) (p b) (p c) (<= (answer ?x) (or (distinct ?x a) (q ?x)) (p ?x)) (q a)',
        ['a', 'b', 'c'],
    ),
    'nested and, or, not': (
        '(p a) (p b) (p c) (q b) (r c)'
        '(<= (answer ?x) (p ?x) (not (or (q ?x) (and (r ?x) (not (q ?x))))))',
        ['a'],
    ),
    'not distinct is equality': (
        '(p a) (p b) (<= (answer ?x) (p ?x) (not (distinct ?x b)))',
        ['b'],
    ),
    'zero arity with and without parentheses': (
        '(p) (<= (answer yes) p) (<= q (p)) (<= (answer q) q)',
        ['q', 'yes'],
    ),
    'body-less rule': ('(<= (answer a))', ['a']),
    'terms as values': ('(p (f a (g b))) (<= (answer ?x) (p (f ?y (g ?x))))', ['b']),
    'repeated variables unify': ('(p a b) (p c c) (<= (answer ?x) (p ?x ?x))', ['c']),
    'left recursion': (
        '(e a b) (e b c) (e c a)'
        '(<= (path ?x ?y) (path ?x ?z) (e ?z ?y)) (<= (path ?x ?y) (e ?x ?y))'
        '(<= (answer ?x) (path a ?x))',
        ['a', 'b', 'c'],
    ),
    'a tautology adds nothing': ('(q 1) (<= (r ?x) (r ?x) (q ?x)) (<= (answer ?x) (r ?x))', []),
    'a cycle without a base is false': (
        '(<= p q) (<= q p) (<= (answer yes) p) (<= (answer no) (not p))',
        ['no'],
    ),
    'mutual recursion with swapped arguments': (
        '(r 1 2) (<= (s ?x ?y) (r ?x ?y)) (<= (r ?y ?x) (s ?x ?y))'
        '(<= (answer (p ?x ?y)) (s ?x ?y))',
        ['(p 1 2)', '(p 2 1)'],
    ),
    'negation of a recursive relation': (
        '(n a) (n b) (n c) (e a b) (<= (reach ?x) (start ?x)) (start a)'
        '(<= (reach ?y) (reach ?x) (e ?x ?y)) (<= (answer ?x) (n ?x) (not (reach ?x)))',
        ['c'],
    ),
    'own definition of a keyword wins': ('(add x y z) (<= (answer ?c) (add x y ?c))', ['z']),
    'names that mean something to Prolog': (
        "(p table) (p -) (p []) (p is) (p don't) (p \\) (p |) (length a 1) (append b)"
        '(<= (answer ?x) (p ?x) (distinct - ?x))'
        '(<= (answer ?x) (length ?x 1)) (<= (answer ?x) (append ?x))',
        ['[]', '\\', 'a', 'b', "don't", 'is', 'table', '|'],
    ),
    'upper case is lower case': ('(P A) (<= (ANSWER ?X) (p ?x))', ['a']),
    'numbers are numbers only in canonical writing': (
        '(p 1) (p 01) (p +1) (p 1.0) (<= (answer ?x) (p ?x) (less 0 ?x))',
        ['1'],
    ),
    'count': ('(p a) (p b) (<= (answer ?n) (count ?n (p ?x)))', ['2']),
    'count of nothing': ('(<= (answer ?n) (count ?n (nowhere ?x)))', ['0']),
    'count differs by local variables only': (
        '(p a 1) (p a 2) (p b 1) (k a) (k b) (k c)'
        '(<= (answer (n ?k ?n)) (k ?k) (count ?n (p ?k ?v)))',
        ['(n a 2)', '(n b 1)', '(n c 0)'],
    ),
    'count of different solutions, not of proofs': (
        '(p a) (q a) (<= (r ?x) (or (p ?x) (q ?x))) (<= (answer ?n) (count ?n (r ?x)))',
        ['1'],
    ),
    'count as a test': (
        '(p a) (p b) (<= (answer yes) (count 2 (p ?x))) (<= (answer no) (count 3 (p ?x)))',
        ['yes'],
    ),
    'count with conditions inside': (
        '(p 1) (p 2) (p 3) (<= (answer ?n) (count ?n (p ?x) (p ?y) (less ?x ?y)))',
        ['3'],
    ),
    'values of a type': (
        '(type mark x) (type mark o) (type none b) (typecombine cell mark none)'
        '(<= (answer ?x) (type cell ?x)) (<= (answer ?x) (type [1,3] ?x))',
        ['1', '2', '3', 'b', 'o', 'x'],
    ),
    'typemap': (
        '(<= (typemap points low ?x) (less ?x 10)) (<= (typemap points high ?x) (greater ?x 9))'
        '(p 3) (p 30) (<= (answer (m ?x ?y)) (p ?x) (typemap points ?y ?x))',
        ['(m 3 low)', '(m 30 high)'],
    ),
    'or that binds in one branch only': (
        '(p a) (q b) (r a) (r c) (<= (answer ?x) (or (p ?x) (q ?y)) (r ?x))',
        ['a', 'c'],
    ),
    'or of the same value is one answer': (
        '(p a) (q a) (<= (answer ?n) (count ?n (or (p ?x) (q ?x))))',
        ['1'],
    ),
    'two or in a row': (
        '(p a) (p b)'
        '(<= (answer (f ?x ?y)) (or (p ?x) (p ?x)) (or (p ?y) (q ?y)) (distinct ?x ?y))',
        ['(f a b)', '(f b a)'],
    ),
    'equality takes a term apart': (
        '(p (f a b)) (<= (answer ?x) (p ?t) (not (distinct (f ?x b) ?t)))',
        ['a'],
    ),
    'equality puts a term together': (
        '(p a) (<= (answer ?t) (p ?x) (not (distinct ?t (g ?x ?x))))',
        ['(g a a)'],
    ),
    'no such fact at all': (
        '(<= (answer yes) (not (true (nothing ?x)))) (<= (answer no) (not (true start)))',
        ['yes'],
    ),
    'terms of one kind among others': (
        '(<= (p (f ?x ?y)) (d ?x) (d ?y)) (<= (p (g ?x)) (d ?x)) (<= (p none) (d a)) (d a) (d b)'
        '(<= (answer (r ?y)) (d ?y) (p (f a ?y)) (distinct ?y a)) (<= (answer ?x) (p ?x))',
        ['(f a a)', '(f a b)', '(f b a)', '(f b b)', '(g a)', '(g b)', '(r b)', 'none'],
    ),
    'arithmetic on what is no integer does not hold': (
        '(p a) (p 1) (p (f 1)) (<= (answer ?y) (p ?x) (add ?x 1 ?y))'
        '(<= (answer less) (p ?x) (less ?x a))',
        ['2'],
    ),
    'several values of an unknown argument': (
        '(<= (answer ?n) (div ?n 3 2)) (<= (answer (m ?n)) (mod 7 ?n 1))'
        '(<= (answer (d ?n)) (div 7 ?n 2))',
        ['(d 3)', '(m 2)', '(m 3)', '(m 6)', '6', '7', '8'],
    ),
    'count in count': (
        '(p a 1) (p a 2) (p b 1) (<= (answer ?n) (count ?n (p ?k ?v) (count 1 (p ?w ?v))))',
        ['1'],
    ),
    'large numbers': (
        '(p 4000000000) (<= (answer ?y) (p ?x) (mult ?x 2 ?y))'
        '(<= (answer ?z) (p ?x) (sub 0 ?x ?z))',
        ['-4000000000', '8000000000'],
    ),
    'a number as a fact': (
        '(init 7) (<= (answer yes) (true 7)) (<= (answer no) (true 8))',
        ['yes'],
    ),
    'a count in a count counts for itself': (
        '(p a) (p b) (q a) (q b) (<= (r ?x) (or (p ?x) (q ?x)))'
        '(<= (answer ?n) (count ?n (r ?x) (count 2 (r ?y)) (not (true (no ?z)))))',
        ['2'],
    ),
    'a type combined with a range': (
        '(type pl p) (typecombine seat [1,2] pl) (typecombine more seat [7,7])'
        '(<= (answer ?x) (type more ?x)) (<= (answer yes) (type seat 2))'
        '(<= (answer no) (type seat 3))',
        ['1', '2', '7', 'p', 'yes'],
    ),
    'values of a typemap': (
        '(<= (typemap age young ?n) (less ?n 10)) (<= (typemap age old ?n) (greater ?n 9))'
        '(typecombine any age [3,3]) (<= (answer ?x) (type age ?x))'
        '(<= (answer (a ?x)) (type any ?x))',
        ['(a 3)', '(a old)', '(a young)', 'old', 'young'],
    ),
    'count about the number of another count': (
        '(p a) (p b) (q 1 x) (q 2 x) (q 2 y)'
        '(<= (answer (n ?n ?m)) (count ?m (q ?n ?y)) (count ?n (p ?x)))',
        ['(n 2 2)'],
    ),
    'count about the number of another count, of the state': (
        '(init (p a)) (init (p b)) (init (q 1 x)) (init (q 2 x)) (init (q 2 y))'
        '(<= (answer (n ?n ?m)) (count ?n (true (p ?x))) (count ?m (true (q ?n ?y))))',
        ['(n 2 2)'],
    ),
    'count about a number made from two other counts': (
        '(init (p a)) (init (p b)) (init (q 4 x)) (init (q 2 x)) (init (q 4 y)) (init (q 4 z))'
        '(<= (answer ?m) (count ?m (true (q ?s ?y))) (add ?n ?k ?s) (count ?n (true (p ?x)))'
        ' (count ?k (true (p ?z)) (distinct ?n 7)))',
        ['3'],
    ),
    'not of a conjunction about the number of a count': (
        '(init (p a)) (init (p b)) (r x)'
        '(<= (answer no) (count ?n (true (p ?x))) (not (and (less ?n 3) (r x))))'
        '(<= (answer yes) (not (and (less ?n 2) (r x))) (count ?n (true (p ?x))))',
        ['yes'],
    ),
    'a count is a number': (
        '(p a) (<= (answer no) (count many (p ?x))) (<= (answer yes) (count 1 (p ?x)))',
        ['yes'],
    ),
    'the same unknown twice': (
        '(n 1) (n 2) (n 3) (n 4) (t 8) (<= (answer ?n) (n ?n) (t ?t) (add ?n ?n ?t))',
        ['4'],
    ),
    'not of a count': (
        '(p a) (<= (answer yes) (not (count 0 (p ?x)))) (<= (answer no) (not (count 1 (p ?x))))',
        ['yes'],
    ),
    'a repeated variable in the last condition': (
        '(foo 1) (t 3 a) (<= (r ?n ?v) (foo ?n) (t ?v ?v)) (<= (answer no) (r ?n ?v))'
        '(<= (answer yes) (foo ?n) (not (s ?n))) (<= (s ?n) (foo ?n) (r ?m ?v))',
        ['yes'],
    ),
    'a repeated variable in the last condition of an or': (
        '(foo 1) (t 3 a) (u b) (<= (r ?n ?v) (foo ?n) (or (u ?n) (t ?v ?v)) (or (u ?v) (t ?v ?v)))'
        '(<= (p ?n ?v) (foo ?n) (or (t ?v ?v) (u ?v)))'
        '(<= (answer no) (r ?n ?v)) (<= (answer ?n) (p ?n ?v))',
        ['1'],
    ),
    'a repeated variable in a state condition': (
        '(foo 1) (init (t 3 a)) (<= (r ?n ?v) (foo ?n) (true (t ?v ?v)))'
        '(<= (answer no) (r ?n ?v)) (<= (answer yes) (true (t ?n ?v)))',
        ['yes'],
    ),
    'a repeated variable in a recursive relation': (
        '(e a b) (e b c) (<= (path ?x ?y) (e ?x ?y)) (<= (path ?x ?z) (path ?x ?y) (e ?y ?z))'
        '(<= (loop ?n ?v) (e ?n b) (path ?v ?v)) (<= (answer no) (loop ?n ?v))'
        '(<= (answer ?z) (path a ?z))',
        ['b', 'c'],
    ),
    'no term holds itself': (
        '(dom a) (dom (f a)) (<= (d ?a (f ?a)) (dom ?a)) (<= (answer no) (d ?v ?v))'
        '(<= (answer ?y) (d ?x ?y))',
        ['(f (f a))', '(f a)'],
    ),
    'no term holds itself, asked for by a recursive relation': (
        '(q 0) (d 0 0) (<= (d ?a (f ?a)) (d ?b ?a) (q ?b)) (<= (answer ?v) (d ?v ?v))'
        '(<= (answer ?y) (d 0 ?y))',
        ['(f 0)', '0'],
    ),
    'no term holds itself, through another relation': (
        '(dom a) (<= (same ?x ?x) (dom ?x)) (<= (two (f ?x) ?y) (same ?x ?y))'
        '(<= (answer no) (two ?v ?v)) (<= (answer ?t) (two ?t ?v))'
        '(<= (eq ?x ?x) (dom ?x) (eq ?x ?x)) (<= (answer no) (eq ?x (f ?x)))',
        ['(f a)'],
    ),
    'no term equals a part of itself': (
        '(dom a) (<= (p ?x) (dom ?y) (not (distinct ?x (f ?x))) (dom ?x)) (<= (answer no) (p ?x))'
        '(<= (answer yes) (dom ?x) (distinct ?x (f ?x)))',
        ['yes'],
    ),
    'no such answer of a derived relation at all': (
        '(p a b) (p b c) (<= (q ?x) (p ?x ?y)) (<= (big ?x) (p ?x z))'
        '(<= (answer yes) (not (big ?x))) (<= (answer no) (not (q ?x)))'
        '(<= (answer ?y) (p ?x ?y) (not (p ?y ?z)))'
        '(<= (answer (last ?x)) (q ?x) (not (twice ?x ?other)))'
        '(<= (twice ?x ?z) (p ?x ?y) (p ?y ?z))',
        ['(last b)', 'c', 'yes'],
    ),
    'no such answer with the same value twice': (
        '(p a b) (p b c) (q b b) (<= (same ?x ?y) (or (p ?x ?y) (q ?x ?y)))'
        '(<= (answer yes) (not (p ?x ?x))) (<= (answer no) (not (same ?x ?x)))',
        ['yes'],
    ),
    'no such answer of a relation of the state': (
        '(<= (on ?x) (true (lamp ?x))) (<= (off ?x) (true (switch ?x))) (init (lamp 1))'
        '(<= (answer on) (not (off ?x))) (<= (answer off) (not (on ?x)))'
        '(<= (next (switch 1)) (true (switch 1)))',
        ['on'],
    ),
    'no such answer of a recursive relation': (
        '(e a b) (e b c) (<= (path ?x ?y) (e ?x ?y)) (<= (path ?x ?z) (path ?x ?y) (e ?y ?z))'
        '(<= (answer ?y) (e ?x ?y) (not (path ?y ?z))) (<= (answer loop) (not (path ?v ?v)))',
        ['c', 'loop'],
    ),
}
