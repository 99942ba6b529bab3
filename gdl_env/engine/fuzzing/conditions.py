"""Random conditions of one rule: every variable gets a value somewhere in it."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from gdl_env.engine.fuzzing.vocabulary import GameVocabulary, Relation, Sort


class Conditions:
    """The conditions of one rule as they grow, and the variables that have values by them."""

    def __init__(
        self, vocabulary: GameVocabulary, relations: Sequence[Relation], random: Random
    ) -> None:
        self._vocabulary = vocabulary
        self._relations = tuple(relations)
        self._random = random
        self._bound: dict[Sort, list[str]] = {sort: [] for sort in Sort}
        self._made = 0
        self.texts: list[str] = []

    def bind(self, sort: Sort) -> str:
        """Return a new variable; the caller adds a condition that gives it a value."""
        variable = self.fresh()
        self._bound[sort].append(variable)
        return variable

    def fresh(self) -> str:
        """Return a variable that no other condition has."""
        self._made += 1
        return f'?v{self._made}'

    def shuffled(self) -> tuple[str, ...]:
        """Return the conditions in any order: it has no meaning."""
        return tuple(self._random.sample(self.texts, len(self.texts)))

    def add_random(self, most: int) -> None:
        """Add up to so many conditions that give values, and tests of what they gave."""
        for _ in range(self._random.randint(0, most)):
            self.add_positive(self._random.choice(self._relations))
        tests = (
            self._add_negation,
            self._add_negation,
            self._add_distinct,
            self._add_comparison,
            self._add_arithmetic,
            self._add_arithmetic,
            self._add_count,
            self._add_alternative,
            self._add_nested,
        )
        for _ in range(self._random.choice((0, 1, 1, 2))):
            self._random.choice(tests)()

    def add_positive(self, relation: Relation) -> None:
        """Add a condition; its variables have values from here on."""
        terms = tuple(self._any_term(sort) for sort in relation.sorts)
        self.texts.append(relation.write(terms))

    def known_term(self, sort: Sort) -> str:
        """Return a term that has a value: for a head, `not` or a comparison."""
        if sort is Sort.PAIR and (not self._bound[sort] or self._vocabulary.is_typed):
            return self._vocabulary.pair(
                self.known_term(Sort.COLOUR), self.known_term(Sort.NUMBER)
            )
        if self._bound[sort] and self._random.random() < 0.8:
            return self._random.choice(self._bound[sort])
        return self._vocabulary.constant(sort, self._random)

    def head_term(self, sort: Sort, *, is_annotated: bool = True) -> str:
        """Return a term for a head; where no variable has a value, one may get it here."""
        if sort is Sort.PAIR:
            parts = (Sort.COLOUR, Sort.NUMBER)
            first, second = (self.head_term(part, is_annotated=is_annotated) for part in parts)
            return self._vocabulary.pair(first, second)
        vocabulary = self._vocabulary
        if not self._bound[sort] and self._random.random() < 0.7:
            variable = self.bind(sort)
            self.texts.append(vocabulary.domain(sort, variable))
        term = self.known_term(sort)
        if sort is Sort.NUMBER and term.startswith('?'):
            self._keep_within(term)
        return vocabulary.annotate(sort, term) if is_annotated else term

    def _keep_within(self, term: str) -> None:
        """Add a bound for a number: rules of arithmetic may lead anywhere."""
        largest = self._vocabulary.largest
        domain = self._vocabulary.domain(Sort.NUMBER, term)
        bounds = [f'(not (greater {term} {largest}))', f'(not (less {term} 0))']
        if self._random.random() < 0.3:
            bounds = [f'(less {term} {largest + 1})', f'(greater {term} -1)']
        if domain not in self.texts and bounds[0] not in self.texts:
            self.texts += [domain] if self._random.random() < 0.6 else bounds

    def _any_term(self, sort: Sort) -> str:
        chance = self._random.random()
        if sort is Sort.PAIR and chance < 0.6:
            return self._vocabulary.pair(self._any_term(Sort.COLOUR), self._any_term(Sort.NUMBER))
        if chance < 0.55:
            return self.bind(sort)
        return self.known_term(sort)

    def _known_atom(self, *, may_ask_any: bool = False) -> str:
        relation = self._random.choice(self._relations)
        terms = [self.known_term(sort) for sort in relation.sorts]
        if may_ask_any and terms and self._random.random() < 0.15:
            # In this condition alone: is there any?
            terms[self._random.randrange(len(terms))] = self.fresh()
        return relation.write(tuple(terms))

    def _add_negation(self) -> None:
        self.texts.append(f'(not {self._known_atom(may_ask_any=True)})')

    def _add_distinct(self) -> None:
        sort = self._random.choice(tuple(Sort))
        self.texts.append(f'(distinct {self.known_term(sort)} {self.known_term(sort)})')

    def _add_comparison(self) -> None:
        name = self._random.choice(('less', 'greater'))
        # Other values than numbers may be compared; that never holds.
        sort = Sort.COLOUR if self._random.random() < 0.05 else Sort.NUMBER
        self.texts.append(f'({name} {self.known_term(Sort.NUMBER)} {self.known_term(sort)})')

    def _add_arithmetic(self) -> None:
        random = self._random
        known, other = self.known_term(Sort.NUMBER), self.known_term(Sort.NUMBER)
        factor = str(random.choice((-3, -1, 1, 2, 3)))
        asked = self.fresh() if random.random() < 0.75 else self.known_term(Sort.NUMBER)
        name = random.choice(('add', 'sub', 'mult', 'div', 'mod'))
        condition = random.choice(
            (
                f'({name} {known} {other} {asked})',
                f'({name} {known} {factor} {asked})',
                f'({random.choice(("add", "sub"))} {known} {asked} {other})',
                f'({random.choice(("add", "sub", "div"))} {asked} {factor} {known})',
                f'(mult {factor} {asked} {known})',
            )
        )
        self.texts.append(condition)
        if asked.startswith('?') and asked not in self._bound[Sort.NUMBER]:
            self._bound[Sort.NUMBER].append(asked)

    def _add_count(self) -> None:
        parts = []
        for _ in range(self._random.choice((1, 1, 2))):
            relation = self._random.choice(self._relations)
            parts.append(
                relation.write(
                    tuple(
                        self.fresh() if self._random.random() < 0.6 else self.known_term(sort)
                        for sort in relation.sorts
                    )
                )
            )
        number = self.known_term(Sort.NUMBER)
        if self._random.random() < 0.5:
            number = self.bind(Sort.NUMBER)
        self.texts.append(f'(count {number} {" ".join(parts)})')

    def _add_alternative(self) -> None:
        """Add an `or`: of tests, or of parts that give one variable its value."""
        relations = [relation for relation in self._relations if relation.sorts]
        if not relations or self._random.random() < 0.5:
            parts = [self._known_atom() for _ in range(self._random.randint(2, 3))]
            if self._random.random() < 0.4:
                parts[0] = f'(not {parts[0]})'
            self.texts.append(f'(or {" ".join(parts)})')
            return
        first = self._random.choice(relations)
        place = self._random.randrange(len(first.sorts))
        sort = first.sorts[place]
        # A choice for the second part: any relation with a place of that sort.
        second = self._random.choice([r for r in relations if sort in r.sorts])
        variable = self.fresh()
        parts = [
            self._atom_with(first, place, variable),
            self._atom_with(second, second.sorts.index(sort), variable),
        ]
        self._bound[sort].append(variable)
        self.texts.append(f'(or {" ".join(parts)})')

    def _atom_with(self, relation: Relation, place: int, variable: str) -> str:
        terms = [self.known_term(sort) for sort in relation.sorts]
        terms[place] = variable
        return relation.write(tuple(terms))

    def _add_nested(self) -> None:
        first, second, third = (self._known_atom() for _ in range(3))
        self.texts.append(
            self._random.choice(
                (
                    f'(not (and {first} {second}))',
                    f'(not (or {first} {second}))',
                    f'(or (and {first} {second}) (not {third}))',
                    f'(and {first} (or {second} (not {third})))',
                    f'(not (not {first}))',
                )
            )
        )
