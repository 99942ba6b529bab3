"""The translation unit of a game: its rules as C++, between the parts of the runtime."""

from __future__ import annotations

from functools import cache
from importlib import resources

from gdl_env.engine.firstorder.code import Lines, indent
from gdl_env.engine.firstorder.estimate import Estimate
from gdl_env.engine.firstorder.functions import Function
from gdl_env.engine.firstorder.glue import write_glue
from gdl_env.engine.firstorder.program import ClauseProgram
from gdl_env.engine.firstorder.values import ConstantNumbers
from gdl_env.language.dependencies import Relation
from gdl_env.language.game import Game
from gdl_env.language.terms import Term

_BEFORE = ('memory.hpp', 'terms.hpp', 'tables.hpp', 'context.hpp')
_AFTER = ('play.hpp', 'interface.hpp')


def translate(game: Game) -> str:
    """Return the C++ text of a game. Raises EngineLimitError for numbers beyond 64 bits."""
    unit = Unit(ClauseProgram(game))
    return '\n'.join((*map(_part, _BEFORE), unit.text(), *map(_part, _AFTER)))


@cache
def _part(name: str) -> str:
    folder = resources.files('gdl_env.engine.firstorder').joinpath('runtime')
    return folder.joinpath(name).read_text('utf-8')


class Unit:
    """Collects what the rules use: constants, tables, indexes, functions."""

    def __init__(self, program: ClauseProgram) -> None:
        self.program = program
        self.values = ConstantNumbers()
        self.estimate = Estimate(program)
        # Whether a rule asks for facts of any kind: `(true ?f)`.
        self.needs_all_facts = False
        self._fluents = {relation: f't{i}' for i, relation in enumerate(program.fluents)}
        self._facts: dict[Relation, str] = {}
        # Of each table with an index: its columns, and the bits of those the index is on.
        self._indexes: dict[tuple[str, int], int] = {}
        self._functions: dict[tuple[Relation, str], Function] = {}
        self._written: Lines = []

    # ---- what bodies use

    def fluent(self, relation: Relation) -> str:
        """Return the table of a kind of fact in a state."""
        return self._fluents[relation]

    def facts(self, relation: Relation) -> str | None:
        """Return the table of the facts of a relation, None if it has none."""
        if relation not in self.program.facts:
            return None
        return self._facts.setdefault(relation, f'f{len(self._facts)}')

    def index(self, table: str, width: int, known: list[bool]) -> str:
        """Return the index of a table on the columns that are known."""
        mask = sum(1 << i for i, is_known in enumerate(known) if is_known)
        self._indexes[table, mask] = width
        return f'{table}_{mask}'

    def call(self, relation: Relation, mode: str) -> str:
        """Return the function that answers a relation in a mode."""
        key = relation, mode
        if key not in self._functions:
            self._functions[key] = Function(self, f'p{len(self._functions)}', relation, mode)
        return self._functions[key].name

    def is_together(self, one: Relation, other: Relation) -> bool:
        """Tell whether two relations are evaluated together, because each depends on the other."""
        program = self.program
        if not (program.is_recursive(one) and program.is_recursive(other)):
            return False
        return program.component(one) == program.component(other)

    # ---- the text

    def text(self) -> str:
        """Return the part that is about this game."""
        glue = write_glue(self)
        functions: Lines = []
        done = 0
        while done < len(self._functions):
            # Writing a function may ask for others.
            functions += list(self._functions.values())[done].lines()
            done += 1
        declarations = [line for f in self._functions.values() for line in f.declarations]
        # Before the tables of constants: facts bring more of them.
        setting_up = self._set_up()
        return indent(
            [
                *self.values.tables(),
                *self._state(),
                *self._game(),
                'static void add_fact(Game&, State&, int);',
                *declarations,
                *functions,
                *glue,
                *setting_up,
            ]
        )

    def _state(self) -> Lines:
        tables = [(name, arity) for (_, arity), name in self._fluents.items()]
        tables += [('others', 1), ('all', 1)]
        lines = ['struct State {']
        lines += [f'Table<{arity}> {name};' for name, arity in tables]
        lines += self._index_members('g.now->')
        lines += ['void clear() {', *(f'{name}.clear();' for name, _ in tables), '}', '};']
        return lines

    def _game(self) -> Lines:
        count = max(1, self.program.components)
        return [
            f'static const bool NEEDS_ALL = {"true" if self.needs_all_facts else "false"};',
            'struct Game : Context {',
            'State states[2];',
            'State* now = &states[0];',
            'State* then = &states[1];',
            'bool is_loaded = false;',
            'Array<int> output;',
            f'Scope* scopes[{count}] = {{}};',
            # Which components come back to calls that are under way.
            f'bool cyclic[{count}] = {{}};',
            '[[noreturn]] void turn_cyclic(int component) {',
            'cyclic[component] = true;',
            'throw Failure{ASK_AGAIN};',
            '}',
            *(f'Table<{arity}> {name};' for (_, arity), name in self._facts.items()),
            *self._index_members('g.f', 'f'),
            *(line for function in self._functions.values() for line in function.memo),
            '};',
        ]

    def _index_members(self, prefix: str, short: str = '') -> Lines:
        return [
            f'Index<{width}, {mask}> {short}{table.removeprefix(prefix)}_{mask};'
            for (table, mask), width in self._indexes.items()
            if table.startswith(prefix)
        ]

    def _set_up(self) -> Lines:
        data: Lines = []
        loading: Lines = []
        for relation, name in self._facts.items():
            arity = relation[1]
            rows = [self._row(row) for row in self.program.facts[relation]]
            if arity == 0:
                loading.append(f'g.{name}.put();')
                continue
            data.append(f'static const int {name.upper()}[][{arity}] = {{{", ".join(rows)}}};')
            loading.append(f'for (const auto& row : {name.upper()}) g.{name}.add(row);')
        return [
            *data,
            'static void set_up(Game& g) {',
            'load_constants(g.terms, NAMES, NAME_COUNT, INTEGERS, CONSTANTS, CONSTANT_WORDS);',
            *loading,
            '}',
        ]

    def _row(self, row: tuple[Term, ...]) -> str:
        return f'{{{", ".join(str(self.values.constant(value)) for value in row)}}}'
