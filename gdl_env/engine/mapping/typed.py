"""The mapping of a typed game: templates from its types, merged."""

from __future__ import annotations

from dataclasses import dataclass

from gdl_env.engine.contract import Fact
from gdl_env.engine.mapping.errors import EncodingError
from gdl_env.engine.mapping.merge import Merge, merge
from gdl_env.engine.mapping.reading import TemplateReader
from gdl_env.engine.mapping.table import IndexTable, TemplateTable
from gdl_env.engine.mapping.table_encoding import TableEncoding
from gdl_env.engine.mapping.template import Template
from gdl_env.language.game import Game


@dataclass(frozen=True)
class TemplateSet:
    """Templates that cover all facts or moves of a kind, and how they came about."""

    # One for each rule, as written.
    written: tuple[Template, ...]
    merged: tuple[Template, ...]
    merges: tuple[Merge, ...]

    @property
    def size(self) -> int:
        """Return the number of facts or moves."""
        return sum(template.size for template in self.merged)


class TypedEncoding(TableEncoding):
    """Follows from the type annotations of a game alone; no engine is asked."""

    def __init__(self, game: Game) -> None:
        """Read the templates. Raises EncodingError where the game is not, or not fully, typed."""
        if not game.is_typed:
            raise EncodingError(
                f'{game.name} has no types: `gdl types --infer` proposes some, and the inferred'
                ' mapping needs none'
            )
        reader = TemplateReader(game)

        def make(templates: list[Template]) -> TemplateSet:
            merged, merges = merge(templates, reader.domains)
            return TemplateSet(tuple(templates), tuple(merged), tuple(merges))

        self.state = make(list(reader.state()))
        self.observation = make(list(reader.observation()))
        self.action = make(list(reader.actions()))
        super().__init__(
            game,
            TemplateTable(self.state.merged),
            TemplateTable(self.observation.merged),
            TemplateTable(self.action.merged),
        )

    def describe(self) -> str:
        """Return in a few words where the tables come from."""
        return 'the types of its rules'

    def _expected(self, table: IndexTable, fact: Fact) -> str:
        where = self.describe()
        if not isinstance(table, TemplateTable):
            return where
        position = self.game.source.position
        parts = []
        for template in table.similar(fact):
            lines = (str(position(rule.span.start)[0]) for rule in template.rules)
            parts.append(f'{template} in line {", ".join(lines)}')
        return f'{where}: {"; ".join(parts)}' if parts else where
