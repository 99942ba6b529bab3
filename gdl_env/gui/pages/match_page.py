"""The page of one match: watch it, or play a role in it."""

from __future__ import annotations

from time import monotonic
from typing import Any
from urllib.parse import quote

from nicegui import background_tasks, run, ui

from gdl_env.errors import GdlError
from gdl_env.gui.components.table import GameTable
from gdl_env.gui.ending import EndingDisplay
from gdl_env.gui.errors import GuiError
from gdl_env.gui.frames import Frame, Frames
from gdl_env.gui.hub import Hub
from gdl_env.gui.match_link import MatchLink
from gdl_env.gui.pages.game_controls import GameControls
from gdl_env.gui.pages.match_list import name_match
from gdl_env.gui.pages.navigator import Navigator, match_path
from gdl_env.gui.pages.restart_offer import RestartOffer
from gdl_env.gui.pages.rules_panel import RulesPanel
from gdl_env.gui.pages.shell import complain, guarded, shell, visitor
from gdl_env.gui.pages.study_panel import StudyPanel
from gdl_env.gui.study.illegal_moves import IllegalMoves
from gdl_env.gui.study.winning_line import find_winning_line
from gdl_env.gui.table_state import TableState
from gdl_env.gui.texts import text

# To draw takes at most one part of the time in so many: a server has other pages, too.
_PARTS = 5
# How often legal moves of others are asked for, if they are shown [s].
_ASKING = 0.3


class MatchPage:
    """One open page."""

    def __init__(self, hub: Hub, link: MatchLink, role: str) -> None:
        self.hub = hub
        self.link = link
        self.role = role
        self.visitor = visitor()
        if table := hub.tables.tables.get(link.namespace):
            link.players = table.players
        self.state = TableState(link, role)
        self.illegal = IllegalMoves(link)
        self._shown: tuple[Any, ...] = ()
        self._resting = 0.0
        self._held: Frame | None = None
        self._ending = EndingDisplay(monotonic())
        self._present = 0.0
        # The end whose winning line was looked for: episode and facts.
        self._decided: tuple[int, tuple[str, ...]] | None = None

    def find_path(self, namespace: str, role: str) -> str:
        """Return the address of a table like this one."""
        return match_path(namespace, role)

    def build(self) -> None:
        """Make the elements."""
        self.table = GameTable(guarded(self._play))
        self.table.on('asked', guarded(self._explain_click))
        self.navigator = Navigator(self.hub, self.link, self.role, self.table)
        with ui.row().classes('w-full items-center gap-2'):
            self.navigator.build()
        with ui.row().classes('w-full items-center gap-2'):
            self.controls = GameControls(
                self.hub, self.link, self.state, self.visitor, self._begin_again, self.find_path
            )
            self.controls.build()
        with ui.row().classes('w-full items-center gap-2'):
            self.study = StudyPanel(self.hub, self.link, self.state, self.table, self.navigator)
            self.study.build()
            self.rules = RulesPanel(self.link, self.table, self.navigator)
            self.rules.build()
            self.options = ui.switch(text('match.legal_moves'))
            self.options.set_visibility(not self.role)
            self.heat = ui.switch(text('match.thoughts'), on_change=self._switch_heat)
            ui.space()
            self._build_question()
            ui.link(text('match.who_plays'), f'/graph?ns={quote(self.link.namespace)}').classes(
                'text-sm'
            )
        self.trouble = ui.label().classes('text-negative text-sm')
        RestartOffer(self.hub, self.link).build()
        ui.keyboard(on_key=self._on_key)
        self.hub.beat.add(self.table, self._refresh, self._read_news)
        if not self.role:
            ui.timer(_ASKING, self._ask_options)

    def _build_question(self) -> None:
        """Make a field for moves that are to be explained."""
        with ui.row().classes('items-center gap-1 no-wrap'):
            self.question = ui.input(placeholder=text('match.why_hint')).props('dense')
            self.question.props['aria-label'] = text('match.why_label')
            self.question.on('keydown.enter', guarded(self._explain_text))
            ui.button(text('match.why'), on_click=guarded(self._explain_text)).props(
                'flat dense no-caps'
            )

    def take_role(self, state: TableState) -> None:
        """Show the match to another role from now on: its player sits at the same page."""
        self.state = state
        self.role = state.role
        self.controls.take_role(state)
        self.study.take_role(state)
        self._shown = ()

    # ---- drawing

    @property
    def frames(self) -> Frames:
        """Return what this page shows of the present: of a role, or of those who look on."""
        seat = self.link.seats.get(self.role) if self.role else None
        return seat.frames if seat is not None else self.link.frames

    @property
    def number(self) -> int | None:
        """Return the frame that is looked back at; None is the newest."""
        return self.navigator.number

    def _read_news(self) -> Any:
        """Return what differs when there may be something to draw."""
        is_ready = self.table.is_ready and monotonic() >= self._resting
        shown = self._shown, self.number, self.state.version
        return self.frames.version, self.link.version, shown, is_ready

    def _refresh(self) -> None:
        if not self._has_role():
            # Who stands up to go elsewhere is not led astray.
            if not self.controls.is_leaving:
                self.controls.is_leaving = True
                ui.navigate.to(match_path(self.link.namespace))
            return
        now = monotonic()
        if now - self._present > 1.0:
            self._present = now
            self.hub.use(self.link)
            self.hub.claims.touch(self.link.namespace, self.role, self.visitor)
            self._draw_controls()
        self.study.refresh()
        self.rules.refresh()
        if self.link.info is not None:
            self._held = self._ending.choose_frame(self.frames, self.link.info, now)
        self.navigator.refresh()
        if self.number is not None:
            self._held = None
        news = (
            self.frames.version,
            self.link.version,
            self.number,
            self.state.with_heat,
            self.state.version,
            self._held,
            self.link.is_alive,
        )
        if news == self._shown or now < self._resting or not self.table.is_ready:
            return
        self._shown = news
        self.table.show(self._make_state())
        self._find_line()
        self._resting = now + _PARTS * (monotonic() - now)

    def _make_state(self) -> dict[str, Any]:
        """Return what is to be drawn; those who merely watch are all shown the same, made once."""
        state, link = self.state, self.link
        is_plain = not (self.role or state.with_heat or state.options or state.rated)
        if not is_plain or self.number is not None:
            return state.make(self.number, self._held)
        key = (
            *(link.frames.version, link.version, link.is_alive, self._held),
            *(state.agreed, tuple(state.won_squares), text('language.name')),
        )
        if link.shared is None or link.shared[0] != key:
            link.shared = key, state.make(None, self._held)
        return link.shared[1]

    def _find_line(self) -> None:
        """Look for the squares that decided a game, in a thread: large boards take a second."""
        frame = self._held or self.state.frame(self.number)
        link = self.link
        is_live = self._held is None and self.number is None
        goals = self.state.end_goals(frame, is_live=is_live) if frame is not None else {}
        game, painter = link.game, link.painter
        if frame is None or not goals or not link.is_open or game is None or painter is None:
            self._decided = None
            return
        if self._decided == (frame.episode, frame.facts):
            return
        self._decided = (frame.episode, frame.facts)
        self.state.won_squares = []
        if self.role:
            entries = list(self.navigator.history.entries())
            self.hub.played_games.keep(link, frame.episode, entries)

        async def find() -> None:
            found = await run.io_bound(find_winning_line, game, painter, frame.facts, goals)
            if found:
                self.state.won_squares = found
                self._shown = ()

        background_tasks.create(find(), name='winning line')

    async def _ask_options(self) -> None:
        """Find out what those may do who are to move."""
        if not self.options.value:
            self.state.options = {}
            return
        frame = self.state.frame(None)
        found = {}
        try:
            for role in frame.movers if frame else ():
                known = self.state.options.get(role)
                if known is None or frame is None or known[0] != frame.tick + 1:
                    known = await self.hub.legal_moves(self.link, role)
                found[role] = known
        except GdlError as error:
            self.options.set_value(False)
            complain(str(error))
        if found != self.state.options:
            self.state.options = found
            self._shown = ()

    def _has_role(self) -> bool:
        """Tell whether the role was not taken away while this page slept, or left elsewhere."""
        claims = self.hub.claims
        return not self.role or claims.may_look(self.link.namespace, self.role, self.visitor)

    def _draw_controls(self) -> None:
        frame = self.state.frame(self.number)
        if frame is not None:
            self.navigator.draw(frame.episode)
        self.controls.refresh()
        self.heat.set_visibility(not self.role or self.link.is_open)
        if self.trouble.text != str(self.link.trouble):
            self.trouble.set_text(str(self.link.trouble))

    def _begin_again(self) -> None:
        """Show the game that begins."""
        self.navigator.go_to_now()
        self._ending.drop()

    # ---- what people do

    async def _play(self, tick: int, move: str) -> None:
        if not self._has_role():
            raise GuiError(text('match.not_yours', role=self.role))
        # Who moves has not accepted what was offered before.
        self.hub.agreements.decline(self.link.namespace)
        try:
            await self.hub.answer(self.link, self.role, tick, move)
        finally:
            self._shown = ()

    async def _explain_click(self, event: Any) -> None:
        said = event.args
        frame = self.state.frame(None)
        if frame is None:
            return
        answer = await run.io_bound(
            self.illegal.explain_click,
            self.role,
            frame.facts,
            int(said['board']),
            str(said['square']),
            str(said['from']),
        )
        self.table.run_method('showWhy', answer)

    async def _explain_text(self) -> None:
        asked = str(self.question.value or '').strip()
        frame = self.state.frame(self.number)
        info = self.link.info
        if frame is None or info is None or not asked:
            raise GuiError(text('match.why_help'))
        role = self.role or next(iter(frame.movers or info.roles))
        answer = await run.io_bound(self.illegal.explain_text, role, frame.facts, asked)
        self.table.run_method('showWhy', answer)

    async def _switch_heat(self) -> None:
        if not self.link.is_open and self.heat.value:
            frame = self.link.frames.newest(self.link.info) if self.link.info else None
            if frame is None or not frame.is_all:
                self.heat.set_value(False)
                ui.notify(text('match.thoughts_hidden'))
                return
        self.hub.ros.do(self.link.subscribe_to_move_values)
        self.state.with_heat = bool(self.heat.value)

    def _on_key(self, event: Any) -> None:
        if not event.action.keydown:
            return
        steps = {'[': -1, ']': 1, '{': -(10**9), '}': 10**9}
        if event.key.name in steps:
            self.navigator.step(steps[event.key.name])
            self._present = 0.0


async def open_match(hub: Hub, namespace: str, role: str, at: str = '') -> None:
    """Draw the page of a match."""
    with shell(' · '.join(filter(None, [role, name_match(hub, namespace)]))):
        try:
            link = await hub.link(namespace)
        except GdlError as error:
            ui.label(str(error)).classes('text-negative')
            return
        if role:
            try:
                await hub.sit(link, role, visitor())
            except GdlError as error:
                ui.notify(str(error), type='negative', timeout=8000)
                ui.label(str(error)).classes('text-negative')
                role = ''
        page = MatchPage(hub, link, role)
        page.build()
        page.navigator.want(at)
