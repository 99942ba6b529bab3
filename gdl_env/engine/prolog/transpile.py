"""GDL → Prolog: one readable clause a rule."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib import resources
import re

from gdl_env.engine.prolog.estimate import AnswerEstimate
from gdl_env.engine.prolog.syntax import apply, atom, slots
from gdl_env.engine.prolog.unification import Equalities, OpenRelations, repeats_in_tail
from gdl_env.language.dependencies import DOES, TRUE, Dependencies, Relation
from gdl_env.language.formulas import (
    And,
    Arithmetic,
    Atom,
    Count,
    Distinct,
    Formula,
    Not,
    formula_variables,
    solution_variables,
)
from gdl_env.language.game import Game, Rule
from gdl_env.language.keywords import KEYWORDS
from gdl_env.language.ordering import Names, names, order
from gdl_env.language.terms import (
    Compound,
    Number,
    Range,
    Symbol,
    Term,
    Typed,
    Variable,
    args_of,
    name_of,
    signature,
    variables,
)

_INDENT = '    '

# What the runtime asks of every game; a game that does not define one gets an empty predicate.
_ASKED: tuple[Relation, ...] = (
    ('role', 1),
    ('init', 1),
    ('next', 1),
    ('legal', 2),
    ('goal', 2),
    ('terminal', 0),
    ('sees', 2),
    ('chance', 3),
    ('type', 2),
)


def transpile(game: Game) -> str:
    """Return a standalone program: `swipl FILE` runs it, with a command line of its own."""
    from gdl_env.engine.prolog.type_tables import type_tables

    types = type_tables(game), read_part('types.pl')
    return '\n'.join((_rules(game), *types, read_part('commands.pl')))


def program(game: Game, front: str) -> str:
    """Return the clauses of a game, the runtime, and one of the files that talk to it."""
    return '\n'.join((_rules(game), read_part(front)))


def _rules(game: Game) -> str:
    return '\n'.join((_Writer(game).text(), read_part('runtime.pl')))


@cache
def read_part(name: str) -> str:
    """Return one of the Prolog files beside this one."""
    return resources.files('gdl_env.engine.prolog').joinpath(name).read_text('utf-8')


@dataclass
class _Writer:
    """Writes the clauses of one game."""

    game: Game
    _names: dict[str, str] = field(default_factory=dict)

    @cached_property
    def _dependencies(self) -> Dependencies:
        return Dependencies.from_game(self.game)

    @cached_property
    def _dynamic(self) -> frozenset[Relation]:
        """Relations whose answers change with the state or the moves."""
        d = self._dependencies
        return frozenset(r for r in d.positive if {TRUE, DOES} & d.reachable(r)) | {TRUE, DOES}

    @cached_property
    def _estimate(self) -> AnswerEstimate:
        return AnswerEstimate(self.game)

    @cached_property
    def _open_relations(self) -> OpenRelations:
        return OpenRelations(self.game)

    def text(self) -> str:
        parts = [
            self._header(),
            self._declarations(),
            f'%% Rules of {_comment(self.game.name)}\n',
            *(clause for rule in self._rules() if (clause := self._clause(rule))),
        ]
        return '\n'.join(parts)

    # ---- frame

    def _header(self) -> str:
        return (
            f':- encoding(utf8).\n'
            f'% {_comment(self.game.name)}: a game, as a Prolog program.\n'
            f'%\n'
            f'% Made from {_file_name(self.game)} by gdl_env; rules {self.game.hash[:16]}.\n'
            f'% Run it with: swipl FILE.pl   (help: swipl FILE.pl --help)\n'
            f'%\n'
            f'% Relations of the game are r_name, facts of its state t_name.\n'
            f'\n'
            f':- style_check(-singleton).\n'
            f':- style_check(-discontiguous).\n'
        )

    def _declarations(self) -> str:
        game = self.game
        experiments = ', '.join(atom(name) for name in sorted(game.experiments))
        lines = [
            f'game_name({atom(game.name)}).',
            f'turns({game.turns.value}).',
            f'information({game.information.value}).',
            f'experiment_names([{experiments}]).',
            '',
        ]
        for name, arity in sorted(self._fluents()):
            columns = slots(arity)
            lines.append(f':- dynamic {atom("t_" + name)}/{arity}.')
            lines.append(f'fluent({apply(name, columns)}, {apply("t_" + name, columns)}).')
        if not self._fluents():
            lines.append(':- dynamic fluent/2.')
        lines += self._typemap_values()
        undefined = sorted(self._used() - self._defined())
        lines += [f':- dynamic {atom(name)}/{arity}.' for name, arity in undefined]
        lines += self._tables()
        return '\n'.join(lines) + '\n'

    def _typemap_values(self) -> list[str]:
        """Return facts for the values of typemaps: a condition may run over them."""
        heads = (r.head for r in self.game.rules if signature(r.head) == ('typemap', 3))
        pairs = dict.fromkeys((args_of(h)[0], args_of(h)[1]) for h in heads)
        return [
            ':- dynamic typemap_value/2.',
            *(f'typemap_value({self._term(t)}, {self._term(v)}).' for t, v in pairs),
        ]

    def _tables(self) -> list[str]:
        d = self._dependencies
        tabled = sorted(d.tabled)
        lines = [f':- table {atom(self._predicate(n, k))}/{k}.' for n, k in tabled]
        on_moves = [r for r in tabled if DOES in d.reachable(r)]
        on_state = [r for r in tabled if r in self._dynamic and r not in on_moves]
        lines.append('')
        lines.append(self._forget('forget_move_tables', on_moves))
        lines.append(self._forget('forget_state_tables', [*on_state, *on_moves]))
        return lines

    def _forget(self, name: str, relations: list[Relation]) -> str:
        goals = [
            f'abolish_table_subgoals({apply(self._predicate(n, k), ["_"] * k)})'
            for n, k in relations
        ]
        return f'{name} :- {", ".join(goals) or "true"}.'

    def _rules(self) -> list[Rule]:
        """Return the rules that can matter: `base` and `input` only describe, unless used."""
        used = {name for uses in self._dependencies.positive.values() for name, _ in uses}
        used |= {name for uses in self._dependencies.negative.values() for name, _ in uses}
        idle = {'base', 'input'} - used
        return [rule for rule in self.game.rules if name_of(rule.head) not in idle]

    def _fluents(self) -> frozenset[Relation]:
        found = set()
        for rule in self.game.rules:
            for term in rule.terms():
                if name_of(term) in {'init', 'next', 'true'} and len(args_of(term)) == 1:
                    fact = args_of(term)[0]
                    if isinstance(fact, Symbol | Compound):
                        found.add(signature(fact))
        return frozenset(found)

    def _defined(self) -> frozenset[Relation]:
        return frozenset(self._renamed(signature(rule.head)) for rule in self._rules())

    def _used(self) -> frozenset[Relation]:
        used = set(_ASKED)
        for rule in self._rules():
            for formula in rule.formulas():
                if isinstance(formula, Atom) and signature(formula.term) not in {TRUE, DOES}:
                    used.add(self._renamed(signature(formula.term)))
        return frozenset(used)

    def _renamed(self, relation: Relation) -> Relation:
        return self._predicate(*relation), relation[1]

    def _predicate(self, name: str, arity: int) -> str:
        """Return the name of the predicate for a relation."""
        keyword = KEYWORDS.get(name)
        if keyword is None or name in self.game.redefined:
            return f'r_{name}'
        if keyword.arities is not None and arity not in keyword.arities:
            return f'r_{name}'
        return {'random': 'chance', 'typecombine': 'type'}.get(name, name)

    # ---- clauses

    def _clause(self, rule: Rule) -> str:
        outside = names(variables(rule.head))
        placed = order(rule.body, self._given(rule), outside, self._estimate.cost)
        head, equal = self._open_relations.split(rule.head)
        self._names = self._variable_names(rule, equal)
        body = [
            *(apply('unify_with_occurs_check', [self._term(v) for v in pair]) for pair in equal),
            *(self._goal(formula, rule) for formula in placed.formulas),
        ]
        if repeats_in_tail(placed.formulas):
            # Without another goal behind it, SWI-Prolog 9.0 loses the repetition.
            body.append('true')
        if name_of(rule.head) == 'typecombine' and len(args_of(rule.head)) == 3:
            return self._union(rule)
        if not body:
            return f'{self._head(head)}.  % {self._line(rule)}'
        comment = f'% {self._place(rule)}'
        goals = f',\n{_INDENT}'.join(body)
        return f'{comment}\n{self._head(head)} :-\n{_INDENT}{goals}.'

    def _given(self, rule: Rule) -> Names:
        """Return the variables that have a value when the rule is asked."""
        if name_of(rule.head) == 'typemap':
            return names(v for arg in args_of(rule.head)[2:] for v in variables(arg))
        return frozenset()

    def _head(self, head: Term) -> str:
        name = self._predicate(*signature(head))
        return apply(name, [self._term(arg) for arg in args_of(head)])

    def _union(self, rule: Rule) -> str:
        whole, *parts = (self._term(arg) for arg in args_of(rule.head))
        clauses = [
            f'type({whole}, Value) :-\n{_INDENT}type_member({part}, Value).' for part in parts
        ]
        return '\n'.join((f'% {self._place(rule)}', *clauses))

    def _line(self, rule: Rule) -> str:
        line, _ = self.game.source.position(rule.span.start)
        return f'{_file_name(self.game)}:{line}'

    def _place(self, rule: Rule) -> str:
        lines = self.game.source.excerpt(rule.span).splitlines() or [str(rule)]
        text = ' '.join(lines[0].split())
        shown = text if len(text) <= 100 else text[:99] + '…'
        return f'{self._line(rule)}: {_comment(shown)}'

    def _goal(self, formula: Formula, rule: Rule) -> str:
        if isinstance(formula, Atom):
            return self._call(formula)
        if isinstance(formula, Distinct):
            return f'{self._operand(formula.left)} \\== {self._operand(formula.right)}'
        if isinstance(formula, Arithmetic):
            return apply(formula.relation, [self._term(arg) for arg in formula.args])
        if isinstance(formula, Not):
            return self._negation(formula, rule)
        if isinstance(formula, Count):
            goals = ', '.join(self._goal(part, rule) for part in formula.parts)
            inside = dict.fromkeys(v.name for p in formula.parts for v in solution_variables(p))
            template = ', '.join(self._names[name] for name in inside)
            return f'count({self._term(formula.number)}, [{template}], ( {goals} ))'
        parts = [self._goal(part, rule) for part in formula.parts]
        if isinstance(formula, And):
            return f'( {", ".join(parts) or "true"} )'
        return f'( {" ; ".join(parts) or "fail"} )'

    def _negation(self, formula: Not, rule: Rule) -> str:
        if isinstance(formula.part, Distinct):
            part = formula.part
            return f'{self._operand(part.left)} = {self._operand(part.right)}'
        goal = self._goal(formula.part, rule)
        if isinstance(formula.part, Atom):
            relation, head = signature(formula.part.term), signature(rule.head)
            d = self._dependencies
            if relation in d.tabled and relation in d.component_of.get(head, frozenset()):
                # Both are computed together: the table must be asked, not the predicate.
                return f'tnot({goal})'
        return f'\\+ {goal}'

    def _call(self, atom: Atom) -> str:
        relation = signature(atom.term)
        args = args_of(atom.term)
        if relation == TRUE:
            return self._stored(args[0])
        name = self._predicate(*relation)
        if name == 'type' and relation == ('type', 2):
            name = 'type_member'
        return apply(name, [self._term(arg) for arg in args])

    def _stored(self, fact: Term) -> str:
        if isinstance(fact, Symbol | Compound):
            return apply('t_' + fact.name, [self._term(arg) for arg in args_of(fact)])
        return f'true_fact({self._term(fact)})'

    def _term(self, term: Term) -> str:
        if isinstance(term, Typed):
            return self._term(term.term)
        if isinstance(term, Variable):
            return self._names[term.name]
        if isinstance(term, Number):
            return str(term.value)
        if isinstance(term, Range):
            return f'range({term.low}, {term.high})'
        return apply(term.name, [self._term(arg) for arg in args_of(term)])

    def _operand(self, term: Term) -> str:
        """Return a term as one side of an operator: symbols such as `table` are operators too."""
        text = self._term(term)
        return f'({text})' if isinstance(term, Symbol) else text

    def _variable_names(self, rule: Rule, equal: Equalities) -> dict[str, str]:
        occurrences = [*variables(rule.head), *(v for pair in equal for v in (*pair, *pair))]
        for formula in rule.body:
            occurrences += formula_variables(formula)
        counted: dict[str, int] = {}
        for variable in occurrences:
            counted[variable.name] = counted.get(variable.name, 0) + 1
        result: dict[str, str] = {}
        taken: set[str] = set()
        for name, count in counted.items():
            clean = re.sub(r'\W', '_', name, flags=re.ASCII) or 'v'
            prolog = clean[0].upper() + clean[1:] if clean[0].isalpha() else f'V{clean}'
            while prolog in taken:
                prolog += '_'
            taken.add(prolog)
            result[name] = prolog if count > 1 else f'_{prolog}'
        return result


def _file_name(game: Game) -> str:
    name = game.source.path.name if game.source.path is not None else game.source.name
    return _comment(name)


def _comment(text: str) -> str:
    """Return a text that stays within its line: what follows a comment is run.

    Names come from others, in messages and as names of files.
    """
    return ''.join(c if c.isprintable() else ' ' for c in text)
