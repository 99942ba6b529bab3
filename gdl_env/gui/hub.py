"""What all pages share: the graph, the matches on display, who plays, what was started."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import wait
from pathlib import Path
from time import monotonic
from typing import Any

from gdl_msgs.msg import Status
from gdl_msgs.srv import LegalMoves, ListLevels, Reset, SetLevel, SetRole
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from rclpy.exceptions import NameValidationException
from std_srvs.srv import Trigger

from gdl_env.editor.worker_lane import WorkerLane
from gdl_env.gui.child_processes import Child, ChildProcesses
from gdl_env.gui.errors import GuiError
from gdl_env.gui.gallery.gallery_data import GalleryData
from gdl_env.gui.games import Games
from gdl_env.gui.graph.graph_watch import GraphWatch
from gdl_env.gui.match_link import MatchLink
from gdl_env.gui.page_beat import PageBeat
from gdl_env.gui.ros_thread import NOT_OFFERED, RosThread
from gdl_env.gui.seats.agreements import Agreements
from gdl_env.gui.seats.claims import Claims
from gdl_env.gui.seats.seating import Seating
from gdl_env.gui.seats.who_plays import is_person
from gdl_env.gui.study.played_games import PlayedGames
from gdl_env.gui.study.studied_games import StudiedGame
from gdl_env.gui.tables import ENVIRONMENT, Tables
from gdl_env.gui.texts import TextError
from gdl_env.gui.tournaments.tournaments import Tournaments
from gdl_env.gui.training.trainings import Training, Trainings
from gdl_env.gui.workshop.drafts import GameDraft, add_to_library
from gdl_env.ros.node_protocol import GraphNode
from gdl_env.ros.transport.names import (
    LEGAL_MOVES,
    LIST_LEVELS,
    RESET,
    SET_LEVEL,
    SET_ROLE,
    private_name,
    undo_service,
)

# A match that no page shows is let go of after this time [s].
_FORGOTTEN = 20.0
# A draft is checked and drawn within this time, or not at all [s].
_PREVIEW = 15.0
# The ROS thread finishes work within this time [s].
_BUSY = 30.0
# A game is loaded, and compiled if it is new, within this time [s].
_OPENING = 120.0
# An agent that cannot play says so within this time [s].
_STARTING = 30.0
# An environment takes up games within this time, or does not [s].
_ACCEPTING = 15.0
# An environment that did not hear what was asked for is asked again after this time [s].
_AGAIN = 0.5
_BEGUN = (Status.PHASE_PLAYING, Status.PHASE_FINISHED)
# Visitors whose games are kept to try moves in.
_STUDIED = 50


class Hub:
    """The one object behind all pages of a server."""

    def __init__(
        self, node: GraphNode, folder: Path, *, allows_programs: bool = False, spares: int = 0
    ) -> None:
        self.node = node
        self.ros = RosThread(node)
        self.claims = Claims()
        self.agreements = Agreements()
        self._seating = Seating(self.ros, self.claims)
        self.processes = ChildProcesses(folder, spares)
        self.folder = folder
        space = node.get_namespace().rstrip('/')
        own = f'{space}/{node.get_name()}'
        self.tables = Tables(self.processes, f'{own}/table', allows_programs=allows_programs)
        self.trainings = Trainings(
            self.processes, folder, f'{own}/run', allows_programs=allows_programs
        )
        self.tournaments = Tournaments(
            self.processes, folder, f'{own}/tournament', allows_programs=allows_programs
        )
        self.played_games = PlayedGames(folder)
        add_to_library(folder)
        self.previews = WorkerLane('gdl_env.gui.workshop.preview_worker', _PREVIEW)
        # Files that visitors have dropped on a page, until the editor opens them.
        self.received: dict[str, GameDraft] = {}
        # Games that visitors try moves in, until they open others.
        self.studied: dict[str, list[StudiedGame]] = {}
        self.gallery = GalleryData()
        self.beat = PageBeat(node.get_logger().error)
        # Whether the lengths of games are being counted.
        self.is_counting = False
        self.watch = self.ros.do(lambda: GraphWatch(node)).result(_BUSY)
        self._links: dict[str, MatchLink] = {}
        self._used: dict[str, float] = {}
        self._games: dict[str, Games] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def keep_studied(self, visitor: str, games: list[StudiedGame]) -> None:
        """Keep the games that a visitor tries moves in; those of long ago are forgotten."""
        self.studied.pop(visitor, None)
        self.studied[visitor] = games
        while len(self.studied) > _STUDIED:
            self.studied.pop(next(iter(self.studied)))

    # ---- matches

    async def link(self, namespace: str) -> MatchLink:
        """Return a match, by its namespace; it is listened to as long as pages ask for it."""
        namespace = '/' + namespace.strip('/') if namespace.strip('/') else ''
        self._used[namespace] = monotonic()
        if namespace not in self._links:
            try:
                link = await self.ros.run(lambda: MatchLink(self.node, namespace))
            except NameValidationException as error:
                raise TextError('trouble.no_match', name=namespace, error=error) from error
            # Another page may have been quicker.
            if namespace in self._links:
                await self.ros.run(link.close)
            else:
                self._links[namespace] = link
        return self._links[namespace]

    def use(self, link: MatchLink) -> None:
        """Note that a page still shows a match."""
        self._used[link.namespace] = monotonic()

    async def tidy(self) -> None:
        """Release matches that no page shows, and the roles of visitors who left."""
        for namespace, role in self.claims.expired():
            if namespace in self._links:
                self._begin(self._seating.leave(self._links[namespace], role))
        for namespace, role, agent in self._seating.agents:
            if self.processes.find(agent) is None:
                self._seating.dismiss(namespace, role)
        for link in self._links.values():
            self._begin(self._seating.claim_roles(link))
        now = monotonic()
        for link in list(self._links.values()):
            self._begin(self._seating.rejoin(link, now))
        appointed = {namespace for namespace, *_ in self._seating.agents}
        for namespace, link in list(self._links.items()):
            is_played = bool(self.claims.taken(namespace)) or namespace in appointed
            if not is_played and now - self._used.get(namespace, 0.0) > _FORGOTTEN:
                del self._links[namespace]
                await self.ros.run(link.close)
        known = {*self._links, *self.watch.matches}
        for namespace in [name for name in self._games if name not in known]:
            await self.ros.run(self._games.pop(namespace).close)
        self.processes.poll()
        self.processes.spares.refill()

    # ---- playing

    async def sit(self, link: MatchLink, role: str, visitor: str) -> None:
        """Give a role to a visitor, and join the match as it. Raises GuiError."""
        await self._seating.sit(link, role, visitor)
        # Whoever else is attached to the role is not asked any more; the page need not wait.
        self._begin(self._seating.claim_roles(link))

    async def stand_up(self, link: MatchLink, role: str, visitor: str) -> None:
        """Give a role back."""
        await self._seating.stand_up(link, role, visitor)

    async def answer(self, link: MatchLink, role: str, tick: int, move: str) -> None:
        """Play a move. Raises GuiError if it cannot be heard."""
        seat = link.seats.get(role)
        if seat is None:
            raise TextError('trouble.not_played', role=role)
        await self.ros.wait(await self.ros.run(lambda: seat.play(tick, move)))

    async def new_game(self, link: MatchLink, episodes: int = 1) -> None:
        """Have the environment play from a fresh start. Raises GuiError if it will not."""
        if not link.is_alive:
            raise TextError('trouble.no_environment')
        games = self._games.get(link.namespace)
        if games is None:
            games = await self.ros.run(lambda: Games(self.node, link))
            self._games[link.namespace] = games
        await self.ros.wait(games.ask(self.ros, episodes), _ACCEPTING)

    def may_call_off(self, link: MatchLink) -> bool:
        """Tell whether the game was asked for here, and can be ended here."""
        return link.namespace in self._games

    async def call_off(self, link: MatchLink) -> None:
        """End the game that is being played, without a result. Raises GuiError."""
        games = self._games.get(link.namespace)
        if games is None or not await self.ros.run(games.call_off):
            raise TextError('trouble.elsewhere')

    async def begin_when_ready(self, namespace: str, roles: list[str]) -> None:
        """Have the first game of a table begin as soon as its environment is there."""
        link = await self.link(namespace)

        async def begin() -> None:
            deadline = monotonic() + _OPENING
            while problem := await self._ask_for_first(link):
                self.use(link)
                failed = self.processes.failed(namespace)
                if failed or monotonic() > deadline:
                    said = ' | '.join(list(failed[0].lines)[-3:]) if failed else problem
                    link.trouble = TextError('trouble.not_opened', reason=said)
                    return

        self._begin(begin())

    async def swap(self, link: MatchLink, role: str, player: str) -> None:
        """Replace the agent of a role by another one. Raises GdlError."""
        if not player:
            raise TextError('trouble.no_agent')
        old = [
            child
            for name in self.watch.players(link.namespace, role)
            if (child := self.processes.find(name)) is not None
        ]
        new = None
        if player == ENVIRONMENT:
            await self.set_role(link, role, SetRole.Request.POLICY_RANDOM)
        else:
            new = self.tables.start_agent(link.namespace, role, player)
            try:
                # From now on its answers count only, however long it takes to start.
                await self.set_role(link, role, SetRole.Request.POLICY_AGENT, new.node)
            except GuiError:
                self.processes.stop(new)
                raise
        self._seating.dismiss(link.namespace, role)
        if role in link.seats:
            await self._seating.vacate(link, role)
        if new is not None:
            self._seating.appoint(link, role, new.node)
            self._begin(self._see_it_play(link, role, player, new))
        for child in old:
            self.processes.stop(child)

    async def pause_training(self, training: Training) -> None:
        """Pause or resume a run, through its environment. Raises GuiError."""
        link = await self.link(training.namespace)
        await self.pause(link, is_paused=not training.is_paused)
        training.is_paused = not training.is_paused

    async def reset(self, link: MatchLink) -> None:
        """Start the match again. Raises GuiError."""
        await self.ros.ask(Reset, link.name(RESET), Reset.Request(seed=-1))

    async def set_role(self, link: MatchLink, role: str, policy: int, agent: str = '') -> None:
        """Say who decides for a role. Raises GuiError."""
        request = SetRole.Request(role=role, policy=policy, agent=agent)
        await self.ros.ask(SetRole, link.name(SET_ROLE), request)

    async def legal_moves(self, link: MatchLink, role: str) -> tuple[int, list[str]]:
        """Return what a role may do, and at which tick. Raises GuiError where that is hidden."""
        request = LegalMoves.Request(role=role, lane=0)
        answer = await self.ros.ask(LegalMoves, link.name(LEGAL_MOVES), request)
        return int(answer.tick), list(answer.move)

    async def undo(self, link: MatchLink, role: str) -> None:
        """Take back what happened since a role decided last. Raises GuiError."""
        others = [r for r in link.status.roles if r.role != role] if link.status else []
        taken = self.claims.taken(link.namespace)
        # Who plays several roles at one screen is one person.
        own = {r for r, who in taken.items() if who == taken.get(role)}
        people = [
            r.role for r in others if r.role not in own and (r.role in taken or is_person(r.agent))
        ]
        if people:
            raise TextError('trouble.not_alone', names=', '.join(people))
        try:
            await self.ros.ask(Trigger, link.name(undo_service(role)), Trigger.Request())
        except GuiError as error:
            if getattr(error, 'key', '') != NOT_OFFERED:
                raise
            raise TextError('trouble.no_undo') from error

    async def pause(self, link: MatchLink, *, is_paused: bool) -> None:
        """Pause or resume a match: its environment is a lifecycle node. Raises GuiError."""
        environment = self.watch.environment(link.namespace)
        if not environment:
            raise TextError('trouble.not_found')
        number = Transition.TRANSITION_DEACTIVATE if is_paused else Transition.TRANSITION_ACTIVATE
        request = ChangeState.Request(transition=Transition(id=number))
        await self.ros.ask(ChangeState, f'{environment}/change_state', request)

    async def levels(self, agent: str, role: str) -> list[tuple[int, float]]:
        """Return the levels of an agent and the reward of each. Raises GuiError."""
        request = ListLevels.Request(role=role)
        found = await self.ros.ask(ListLevels, private_name(agent, LIST_LEVELS), request)
        return list(zip(found.level, found.reward, strict=True))

    async def set_level(self, agent: str, level: int) -> None:
        """Have an agent play a level from its next move on. Raises GuiError."""
        await self.ros.ask(
            SetLevel, private_name(agent, SET_LEVEL), SetLevel.Request(level=str(level))
        )

    # ---- the end

    def close(self) -> None:
        """End what was started, and leave the graph."""
        own = self.tables.tables
        self._seating.give_back([x for x in self._links.values() if x.namespace not in own])
        self.previews.end()
        self.processes.close()
        wait([self.ros.do(link.close) for link in self._links.values()], _BUSY)
        self.ros.close()

    # ---- inside

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        """Do something in the background; errors go to the log."""

        async def run() -> None:
            try:
                await work
            except Exception as error:
                self.node.get_logger().warning(f'{error}')

        task = asyncio.create_task(run())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _ask_for_first(self, link: MatchLink) -> str:
        """Ask for the first game of a table; return why it has not begun, if so, after a while."""
        if not link.is_alive:
            await asyncio.sleep(0.05)
            return 'no answer'
        try:
            await self.new_game(link)
        except GuiError as error:
            # That it was heard may have been lost on the way.
            if link.status is not None and link.status.phase in _BEGUN:
                return ''
            await asyncio.sleep(_AGAIN)
            return str(error)
        return ''

    async def _see_it_play(self, link: MatchLink, role: str, player: str, child: Child) -> None:
        """Say so if an agent ends at once, and let others play again."""
        link.trouble = ''
        deadline = monotonic() + _STARTING
        while monotonic() < deadline:
            await asyncio.sleep(0.2)
            if child.exit_code:
                said = ' | '.join(line for line in list(child.lines)[-3:] if line.strip())
                link.trouble = TextError(
                    'trouble.cannot_play', player=player, role=role, reason=said or child.exit_code
                )
                self._seating.dismiss(link.namespace, role)
                if link.is_alive:
                    await self.set_role(link, role, SetRole.Request.POLICY_AGENT)
                return
