"""The rules beside the board: what their author says, and the text, with what fired marked."""

from __future__ import annotations

from nicegui import background_tasks, run, ui

from gdl_env.engine.explanation.fired_rules import FiredRule, find_fired_rules
from gdl_env.errors import GdlError
from gdl_env.gui.components.table import GameTable
from gdl_env.gui.frames import Frame
from gdl_env.gui.match_link import MatchLink
from gdl_env.gui.pages.navigator import Navigator
from gdl_env.gui.texts import text
from gdl_env.language.game import Game
from gdl_env.language.reader import read_role, read_term


class RulesPanel:
    """Shows the rules of a match on request; where facts are hidden, no rule is marked."""

    def __init__(self, link: MatchLink, table: GameTable, navigator: Navigator) -> None:
        self._link = link
        self._table = table
        self._navigator = navigator
        self._shown: Game | None = None
        self._marked: tuple[int, int] = (-1, -1)

    def build(self) -> None:
        """Make the switch."""
        self.switch = ui.switch(text('match.rules'), on_change=self._toggle)
        self.switch.props('data-mark=rules')

    def refresh(self) -> None:
        """Mark the rules behind the position on display."""
        game = self._link.game
        self.switch.set_visibility(game is not None)
        if not self.switch.value or game is None:
            return
        if self._shown is not game:
            self._show(game)
        frames = self._navigator.history.frames
        number = self._navigator.number
        number = frames.span[1] if number is None else number
        if self._marked == (number, frames.version):
            return
        self._marked = number, frames.version
        background_tasks.create(self._mark(game, number), name='fired rules')

    def _toggle(self) -> None:
        self._shown, self._marked = None, (-1, -1)
        if not self.switch.value:
            self._table.run_method('showRules', None)
        self.refresh()

    def _show(self, game: Game) -> None:
        self._shown = game
        source = game.source.text
        self._table.run_method(
            'showRules', {'intro': read_intro(source), 'lines': source.splitlines()}
        )

    async def _mark(self, game: Game, number: int) -> None:
        before, after = self._frame(number - 1), self._frame(number)
        fired: tuple[FiredRule, ...] = ()
        is_step = before is not None and after is not None and before.episode == after.episode
        if before is not None and after is not None and is_step and self._link.is_open:
            fired = await run.io_bound(_find_fired, game, before, after) or ()
        if self._marked[0] == number:
            lines = [[rule.first_line, rule.last_line] for rule in fired]
            self._table.run_method('markRules', lines)

    def _frame(self, number: int) -> Frame | None:
        info, frames = self._link.info, self._navigator.history.frames
        is_known = info is not None and frames.span[0] <= number <= frames.span[1]
        return frames.get(number, info) if is_known and info is not None else None


def read_intro(source: str) -> str:
    """Return what stands above the rules: the comment at the top of a file, without its marks."""
    lines = []
    for line in source.lstrip('\ufeff \r\n').splitlines():
        if not line.startswith(';'):
            break
        lines.append(line.lstrip(';').strip())
    # Lines of one paragraph belong together.
    text = '\n'.join(lines).strip()
    return '\n\n'.join(' '.join(part.split('\n')) for part in text.split('\n\n'))


def _find_fired(game: Game, before: Frame, after: Frame) -> tuple[FiredRule, ...]:
    """Return the rules behind a step; none where they are too many to be found."""
    try:
        moves = {read_role(role): read_term(move) for role, move in after.moves.items()}
        return find_fired_rules(
            game, map(read_term, before.facts), moves, map(read_term, after.facts)
        )
    except (GdlError, ValueError):
        return ()
