"""How good the position on a page is: a bar, the moves by their value, a graph over the game."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from gdl_env.gui.components.table import GameTable
from gdl_env.gui.frames import Frame
from gdl_env.gui.hub import Hub
from gdl_env.gui.match_link import MatchLink
from gdl_env.gui.pages.navigator import Navigator
from gdl_env.gui.pages.shell import complain, guarded
from gdl_env.gui.study.study_process import StudyProcess
from gdl_env.gui.table_state import TableState
from gdl_env.gui.texts import text
from gdl_env.gui.training.runs import list_runs
from gdl_env.language.families.designation import Designation

# Searches that rate positions of any open game; trained runs of the game come after them.
_SEARCHES = ('mcts', 'alphabeta')
# Moves of agents that are listed, and moves that are drawn as arrows.
_LISTED = 8
_DRAWN = 3


class StudyPanel:
    """Rates what a page shows, and in the meantime the other positions of the game.

    Only where nothing is hidden; and not the position in which a person has to decide. Without an
    analysis, the same list shows what the agents that play think of their moves.
    """

    def __init__(
        self, hub: Hub, link: MatchLink, state: TableState, table: GameTable, navigator: Navigator
    ) -> None:
        self._hub = hub
        self._link = link
        self._state = state
        self._table = table
        self._navigator = navigator
        self._process: StudyProcess | None = None
        # By number of frame: the share of the first role, 0 to 1, and all that was said.
        self._ratings: dict[int, dict[str, Any]] = {}
        self._asked: int | None = None
        self._shown: tuple[Any, ...] = ()
        self._lives = 0
        self._game = ''

    def build(self) -> None:
        """Make the switch, and the choice of who rates."""
        self.switch = ui.switch(text('match.analyse'), on_change=guarded(self._toggle))
        self.switch.props('data-mark=analyse')
        self.agent = ui.select(
            list(_SEARCHES), value=_SEARCHES[0], on_change=guarded(self._restart)
        )
        self.agent.props('dense options-dense borderless data-mark=analyst')
        self.agent.props['aria-label'] = text('match.analyst')
        ui.context.client.on_delete(self._end)

    def take_role(self, state: TableState) -> None:
        """Rate for another role from now on."""
        state.rated = self._state.rated
        self._state = state

    def refresh(self) -> None:
        """Ask for what is not rated yet, and draw what is."""
        self._offer_agents()
        if self._process is None:
            self._draw_agents()
            return
        if self._lives != self._link.lives:
            self._lives = self._link.lives
            self._ratings.clear()
            self._asked = None
        number = self._current()
        is_busy = self._asked is not None and not self._is_done(self._asked)
        wanted = number if number is not None and not self._is_done(number) else None
        if wanted is None and not is_busy:
            entries = self._navigator.history.entries()
            wanted = next((e.number for e in entries if not self._is_done(e.number)), None)
            if self._state.role and wanted == self._navigator.history.frames.span[1]:
                wanted = None
        if wanted is not None and (wanted != self._asked) and (wanted == number or not is_busy):
            frame = self._frame(wanted)
            if frame is None or frame.goals:
                self._ratings[wanted] = {'is_done': True}
            else:
                self._asked = wanted
                self._process.ask(wanted, frame.facts)
        self._draw(number)

    def _offer_agents(self) -> None:
        """Offer the searches and what was trained for this game, once the match is known."""
        self.switch.set_visibility(self._link.is_open)
        self.agent.set_visibility(self._link.is_open and bool(self.switch.value))
        info = self._link.info
        if info is None or info.name == self._game:
            return
        self._game = info.name
        runs = list_runs(self._hub.folder, Designation.read(info.name).file_name)
        trained = {run.player: text('match.trained', name=run.name) for run in runs}
        options = {**{name: name for name in _SEARCHES}, **trained}
        kept = self.agent.value if self.agent.value in options else _SEARCHES[0]
        self.agent.set_options(options, value=kept)

    def _current(self) -> int | None:
        """Return the position to be rated: none while a person has to decide in it."""
        if self._navigator.number is None and self._state.role:
            status = self._link.status
            if status is None or status.phase == status.PHASE_PLAYING:
                return None
        number = self._navigator.number
        return self._navigator.history.frames.span[1] if number is None else number

    def _frame(self, number: int) -> Frame | None:
        info = self._link.info
        return self._link.frames.get(number, info) if info is not None else None

    def _is_done(self, number: int) -> bool:
        return bool(self._ratings.get(number, {}).get('is_done'))

    def _on_rating(self, told: dict[str, Any]) -> None:
        if 'error' in told:
            with self._table:
                complain(text('match.unrated', error=told['error']))
            return
        self._ratings[int(told['id'])] = told

    def _share(self, told: dict[str, Any]) -> float | None:
        """Return how the first role stands, 0 to 1, where two play; else the role that moves."""
        if not told.get('moves') or self._link.info is None:
            return None
        value = float(told['value'])
        roles = list(self._link.info.roles)
        return 1 - value if len(roles) == 2 and told['role'] == roles[1] else value

    def _draw(self, number: int | None) -> None:
        told = self._ratings.get(number, {}) if number is not None else {}
        entries = [e for e in self._navigator.history.entries() if not e.is_undone]
        points = [self._share(self._ratings.get(e.number, {})) for e in entries]
        place = next((i for i, e in enumerate(entries) if e.number == number), -1)
        sign = told.get('visits'), told.get('depth'), told.get('is_done')
        news = (number, sign, tuple(points), place)
        if news == self._shown:
            return
        self._shown = news
        moves = told.get('moves', ())
        self._state.rated = {m['move']: float(m['value']) for m in moves}
        self._state.version += 1
        proven = {m['move'] for m in moves if m['is_proven']}
        self._show(self._state.rated, told, proven=proven, points=points, place=place)

    def _draw_agents(self) -> None:
        """List what the agents that play think of their moves, while that is shown."""
        number = self._navigator.number
        frame = self._state.frame(number) if self._state.with_heat else None
        values = self._state.values_of(frame, is_live=number is None) if frame else {}
        news = (number, tuple(values.items()))
        if news == self._shown:
            return
        self._shown = news
        if values:
            best = sorted(values, key=lambda move: -values[move])[:_LISTED]
            self._show({move: values[move] for move in best}, {})
        else:
            self._table.run_method('showStudy', None)

    def _show(
        self,
        values: dict[str, float],
        told: dict[str, Any],
        *,
        proven: set[str] | frozenset[str] = frozenset(),
        points: list[float | None] | None = None,
        place: int = -1,
    ) -> None:
        """Send one list of moves with their values, and what is known of the position."""
        painter = self._link.painter
        role = told.get('role', '')
        pictures = [painter.picture_of(move, role) for move in values] if painter else []
        arrows = [p.to_arrow('best', 0.85 - 0.25 * n) for n, p in enumerate(pictures[:_DRAWN])]
        is_rated = self._process is not None
        source = self.agent.options[self.agent.value] if is_rated else text('match.players')
        self._table.run_method(
            'showStudy',
            {
                'source': source,
                'share': self._share(told) if told else None,
                'role': role,
                'isProven': told.get('is_proven', False),
                'isDone': told.get('is_done', False),
                'visits': told.get('visits', 0),
                'depth': told.get('depth', 0),
                'moves': [
                    {
                        'label': painter.name_move(move, role) if painter else move,
                        'value': value,
                        'isShare': bool(told),
                        'isProven': move in proven,
                    }
                    for move, value in values.items()
                ],
                'arrows': [arrow for arrow in arrows if arrow['to']],
                'points': points or [],
                'place': place,
            },
        )

    async def _toggle(self) -> None:
        if not self.switch.value:
            await self._end()
            self._state.rated = {}
            self._state.version += 1
            self._shown = ()
            self._table.run_method('showStudy', None)
        elif self._process is None:
            await self._start()

    async def _restart(self) -> None:
        """Rate everything again, by the agent that was chosen."""
        if self._process is not None:
            await self._end()
            await self._start()

    async def _start(self) -> None:
        info = self._link.info
        if info is None:
            return
        self._ratings.clear()
        agent = str(self.agent.value)
        self._process = StudyProcess(info.name, info.rules, agent, self._on_rating)
        await self._process.start()
        self._asked, self._shown = None, ()

    async def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            await process.stop()
