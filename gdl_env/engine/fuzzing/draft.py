"""One attempt at a random game: roles, values, state, moves, chance, sight, ends and goals."""

from __future__ import annotations

from random import Random

from gdl_env.engine.fuzzing.conditions import Conditions
from gdl_env.engine.fuzzing.counters import TALLY, draw_tally
from gdl_env.engine.fuzzing.rules import RuleText
from gdl_env.engine.fuzzing.vocabulary import (
    GameVocabulary,
    Relation,
    RelationUse,
    Sort,
    write_atom,
)

_COLOUR, _NUMBER, _ROLE, _PAIR = Sort.COLOUR, Sort.NUMBER, Sort.ROLE, Sort.PAIR
_FACTS = (
    Relation('cell', (_NUMBER, _COLOUR)),
    Relation('score', (_ROLE, _NUMBER)),
    Relation('flag', (_COLOUR,)),
    Relation('alarm'),
    Relation('box', (_PAIR,)),
    Relation('own', (_ROLE, _PAIR)),
    Relation('heap', (_NUMBER,)),
)
_SEEN = Relation('note', (_COLOUR,)), Relation('secret', (_NUMBER, _COLOUR))
_MOVES = (
    Relation('take', (_COLOUR,)),
    Relation('put', (_NUMBER, _COLOUR)),
    Relation('give', (_ROLE, _NUMBER)),
    Relation('open', (_PAIR,)),
    Relation('wait'),
)
# Experiments, with the sort of their events.
_EXPERIMENTS = {'deck': _COLOUR, 'die': _NUMBER}


class Draft:
    """The rules of a game as they are drawn."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._rules: list[RuleText] = []
        # '' (all is seen), 'state' (sees in the state) or 'head' (percepts).
        self._sight = random.choice(('', '', 'state', 'head'))
        self._has_control = random.random() < 0.4
        self._has_options = random.random() < 0.3
        names = ('1', '2', '3') if random.random() < 0.15 else ('ann', 'ben', 'cid')
        self._players = names[: random.choice((1, 2, 2, 3))]
        self._has_nature = random.random() < 0.25
        self._vocabulary = GameVocabulary(
            (*self._players, 'random') if self._has_nature else self._players,
            ('red', 'green', 'blue')[: random.randint(2, 3)],
            random.randint(2, 4),
            random.random() < 0.4,
            random.random() < 0.3,
        )
        self._last_step = random.randint(2, 5)
        self._facts = random.sample(_FACTS, random.choice((1, 2, 2, 3)))
        self._moves = random.sample(_MOVES, random.choice((1, 1, 2, 3)))
        self._experiments = [name for name in _EXPERIMENTS if random.random() < 0.3]

    def make(self) -> tuple[RuleText, ...]:
        """Return the rules of a game; whether they are valid is up to the checker."""
        self._add_roles()
        self._add_values()
        static = self._add_static()
        state = [fact.at(RelationUse.STATE) for fact in self._facts]
        if self._sight == 'state':
            state += [fact.at(RelationUse.SEES) for fact in _SEEN]
        if self._has_control:
            state.append(Relation('control', (_ROLE,), RelationUse.STATE))
        if self._random.random() < 0.35:
            is_alone = self._has_control or len(self._vocabulary.roles) == 1
            self._rules += draw_tally(
                self._random, is_typed=self._vocabulary.is_typed, is_alone=is_alone
            )
            state.append(TALLY)
        known = [*static, *state, *state, Relation('step', (_NUMBER,), RelationUse.STATE)]
        known += self._add_derived('inferred', known)
        known += self._add_recursion(known)
        self._add_chance(known)
        self._add_legal(known)
        self._add_init(static)
        later = [
            *known,
            *(move.at(RelationUse.LEGAL) for move in self._moves),
            Relation('terminal'),
        ]
        self._add_next([*later, *(move.at(RelationUse.DOES) for move in self._moves * 3)])
        self._add_end(known, later)
        return tuple(self._rules)

    # ---- what never changes

    def _add(self, head: str, *body: str) -> None:
        self._rules.append(RuleText(head, body))

    def _conditions(self, relations: list[Relation]) -> Conditions:
        return Conditions(self._vocabulary, relations, self._random)

    def _add_roles(self) -> None:
        count = len(self._players)
        if self._has_options and self._players[0] == '1':
            self._add(f'(option players {count} [1,3])')
            self._add('(role ?r)', '(type [1,players] ?r)')
        elif self._has_options:
            self._add(f'(option players {count} [1,3])')
            for number, name in enumerate(self._players, start=1):
                self._add(f'(seat {name} {number})')
            limit = '(option players ?most)'
            self._add('(role ?r)', '(seat ?r ?n)', limit, '(not (greater ?n ?most))')
        elif self._random.random() < 0.15:
            for number, name in enumerate((*self._players, 'dan'), start=1):
                self._add(f'(seat {name} {number})')
            self._add('(taken ?n)', '(seat ?r ?n)', f'(less ?n {count + 1})')
            self._add('(role ?r)', '(seat ?r ?n)', '(taken ?n)')
        else:
            for name in self._players:
                self._add(f'(role {name})')
        if self._has_nature:
            self._add('(role random)')

    def _add_values(self) -> None:
        vocabulary = self._vocabulary
        is_combined = vocabulary.is_typed and self._random.random() < 0.3
        if is_combined:
            self._add('(typecombine colour warm cold)')
        for number, colour in enumerate(vocabulary.colours):
            kind = ('warm', 'cold')[number % 2] if is_combined else 'colour'
            self._add(f'(type {kind} {colour})' if vocabulary.is_typed else f'(colour {colour})')
        if not vocabulary.is_typed:
            for number in range(vocabulary.largest + 1):
                self._add(f'(number {number})')
        else:
            for role in vocabulary.roles:
                self._add(f'(type player {role})')

    def _add_static(self) -> list[Relation]:
        relations = [Relation('edge', (_COLOUR, _COLOUR)), Relation('worth', (_COLOUR, _NUMBER))]
        for relation in relations:
            for _ in range(self._random.randint(1, 4)):
                terms = [self._vocabulary.constant(s, self._random) for s in relation.sorts]
                self._add(write_atom(relation.name, tuple(terms)))
        if self._has_options and self._random.random() < 0.5:
            self._add(f'(option size {self._random.randint(1, 3)} [1,3])')
            self._add('(large ?n)', '(option size ?n)', '(greater ?n 1)')
            relations.append(Relation('large', (_NUMBER,)))
        if self._random.random() < 0.05:
            # The game means its own relation wherever it says so.
            self._add('(less 0 1)')
            self._add('(less 1 3)')
        return relations

    def _add_derived(self, stem: str, known: list[Relation]) -> list[Relation]:
        """Add relations over what is known, each of them over those before."""
        made: list[Relation] = []
        for number in range(self._random.choice((0, 1, 1, 2))):
            sorts = tuple(self._random.choices(tuple(Sort), k=self._random.randint(0, 2)))
            relation = Relation(f'{stem}{number}', sorts)
            for _ in range(self._random.choice((1, 1, 2))):
                self._add_rule('{}', relation, [*known, *made])
            made.append(relation)
        return made

    def _add_recursion(self, known: list[Relation]) -> list[Relation]:
        if self._random.random() > 0.4:
            return []
        if self._random.random() < 0.3:
            # Two relations in one circle.
            self._add('(odd ?x ?y)', '(edge ?x ?y)')
            self._add('(even ?x ?z)', '(odd ?x ?y)', '(edge ?y ?z)')
            self._add('(odd ?x ?z)', '(even ?x ?y)', '(edge ?y ?z)')
            return [Relation(name, (_COLOUR, _COLOUR)) for name in ('odd', 'even')]
        reach = Relation('reach', (_COLOUR, _COLOUR))
        between = ['(edge ?x ?y)']
        self._add('(reach ?x ?y)', *between)
        way = self._conditions(known)
        way.add_random(1)
        step = ['(reach ?x ?y)', '(edge ?y ?z)']
        if self._random.random() < 0.3:
            step = ['(reach ?x ?y)', '(reach ?y ?z)']
        self._add('(reach ?x ?z)', *step, *way.shuffled())
        return [reach]

    # ---- rules with random conditions

    def _add_rule(
        self, around: str, relation: Relation, known: list[Relation], most: int = 3
    ) -> None:
        conditions = self._conditions(known)
        conditions.add_random(most)
        is_derived = relation.place is RelationUse.STATIC and around == '{}'
        terms = [
            conditions.head_term(sort, is_annotated=not is_derived) for sort in relation.sorts
        ]
        self._add(around.format(write_atom(relation.name, tuple(terms))), *conditions.shuffled())

    def _add_chance(self, known: list[Relation]) -> None:
        random = self._random
        for name in self._experiments:
            sort = _EXPERIMENTS[name]
            if random.random() < 0.5:
                events = {self._vocabulary.constant(sort, random) for _ in range(3)}
                for event in sorted(events):
                    self._add(f'(random {name} {random.choice((0, 1, 1, 2, 5))} {event})')
                continue
            conditions = self._conditions(known)
            event = conditions.bind(sort)
            conditions.texts.append(self._vocabulary.domain(sort, event))
            conditions.add_random(1)
            weight = str(random.choice((0, 1, 3)))
            if random.random() < 0.4:
                weight = conditions.head_term(_NUMBER, is_annotated=False)
            self._add(f'(random {name} {weight} {event})', *conditions.shuffled())

    def _add_legal(self, known: list[Relation]) -> None:
        for move in self._moves:
            for _ in range(self._random.choice((1, 1, 2))):
                self._add_move(move, known)
        if self._random.random() < 0.7:
            actor = '(true (control ?r))' if self._has_control else '(role ?r)'
            name = self._random.choice(('noop', 'wait'))
            self._add(f'(legal ?r {name})', actor)

    def _add_move(self, move: Relation, known: list[Relation]) -> None:
        random = self._random
        conditions = self._conditions(known)
        role = conditions.bind(_ROLE)
        control = f'(true (control {role}))' if self._has_control else f'(role {role})'
        conditions.texts.append(control)
        conditions.add_random(2)
        terms = []
        for sort in move.sorts:
            names = [name for name in self._experiments if _EXPERIMENTS[name] is sort]
            is_drawn = bool(names) and random.random() < 0.5
            terms.append(random.choice(names) if is_drawn else conditions.head_term(sort))
        head = f'(legal {role} {write_atom(move.name, tuple(terms))})'
        self._add(head, *conditions.shuffled())

    # ---- the state

    def _add_init(self, static: list[Relation]) -> None:
        self._add('(init (step 0))')
        if self._has_control:
            self._add(f'(init (control {self._players[0]}))')
        for fact in self._facts:
            for _ in range(self._random.randint(0, 2)):
                self._add_rule('(init {})', fact, static, most=1)
        if self._sight == 'state' and self._random.random() < 0.5:
            role = self._random.choice(self._vocabulary.roles)
            self._add(f'(init (sees {role} (note {self._vocabulary.colours[0]})))')

    def _add_next(self, known: list[Relation]) -> None:
        bound = '[0,9]:' if self._vocabulary.is_typed else ''
        if bound and self._random.random() < 0.2:
            bound = 'age:'
            self._add('(typemap age young ?n)', '(less ?n 3)')
            self._add('(typemap age old ?n)', '(greater ?n 2)')
        limit = '(less ?n 9)' if self._random.random() < 0.5 else '(not (greater ?n 8))'
        self._add(f'(next (step {bound}?m))', '(true (step ?n))', '(add ?n 1 ?m)', limit)
        done = self._add_derived('done', known)
        known = [*known, *done]
        for fact in self._facts:
            for _ in range(self._random.choice((1, 1, 2))):
                self._add_rule('(next {})', fact, known)
            if self._random.random() < 0.5:
                self._add_persistence(fact, known)
        if self._has_control:
            self._add_control(known)
        for fact in _SEEN if self._sight else ():
            around = '(next (sees {} {}))' if self._sight == 'state' else '(sees {} {})'
            conditions = self._conditions(known)
            conditions.add_random(3)
            role = conditions.head_term(_ROLE, is_annotated=False)
            terms = tuple(
                conditions.head_term(sort, is_annotated=self._sight == 'state')
                for sort in fact.sorts
            )
            head = around.format(role, write_atom(fact.name, terms))
            self._add(head, *conditions.shuffled())

    def _add_persistence(self, fact: Relation, known: list[Relation]) -> None:
        """Add a rule by which facts stay, under conditions."""
        conditions = self._conditions(known)
        plain, annotated = [], []
        for sort in fact.sorts:
            parts = (_COLOUR, _NUMBER) if sort is _PAIR else (sort,)
            names = [conditions.bind(part) for part in parts]
            marked = [
                self._vocabulary.annotate(part, name)
                for part, name in zip(parts, names, strict=True)
            ]
            plain.append(self._vocabulary.pair(*names) if sort is _PAIR else names[0])
            annotated.append(self._vocabulary.pair(*marked) if sort is _PAIR else marked[0])
        conditions.texts.append(fact.at(RelationUse.STATE).write(tuple(plain)))
        conditions.add_random(1)
        head = f'(next {write_atom(fact.name, tuple(annotated))})'
        self._add(head, *conditions.shuffled())

    def _add_control(self, known: list[Relation]) -> None:
        players = self._vocabulary.roles
        for role, after in zip(players, (*players[1:], players[0]), strict=True):
            self._add(f'(follows {role} {after})')
        role = self._vocabulary.annotate(_ROLE, '?s')
        self._add(f'(next (control {role}))', '(true (control ?r))', '(follows ?r ?s)')
        if self._random.random() < 0.2:
            self._add_rule('(next {})', Relation('control', (_ROLE,)), known)

    def _add_end(self, known: list[Relation], later: list[Relation]) -> None:
        self._add('terminal', f'(true (step {self._last_step}))')
        if self._random.random() < 0.4:
            conditions = self._conditions(known)
            conditions.add_random(2)
            texts = conditions.shuffled()
            self._add('terminal', '(true (step 2))', *texts)
        self._add('(goal ?r 10)', '(role ?r)', *self._random.choice(((), (), ('terminal',))))
        for _ in range(self._random.randint(0, 3)):
            conditions = self._conditions(later)
            conditions.add_random(3)
            role = conditions.head_term(_ROLE, is_annotated=False)
            value = str(self._random.choice((0, 25, 50, 100)))
            if self._random.random() < 0.3:
                value = conditions.head_term(_NUMBER, is_annotated=False)
            self._add(f'(goal {role} {value})', *conditions.shuffled())
