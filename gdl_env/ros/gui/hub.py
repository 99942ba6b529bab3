"""What all pages share: the graph, the matches somebody looks at, who plays, what was started."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future, wait
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any, TypeVar

from gdl_msgs.srv import LegalMoves, ListLevels, Reset, SetLevel, SetRole
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from std_srvs.srv import Trigger

from gdl_env.ros.gui.claims import Claims
from gdl_env.ros.gui.crew import Child, Crew
from gdl_env.ros.gui.errors import GuiError
from gdl_env.ros.gui.games import Games
from gdl_env.ros.gui.graph_watch import GraphWatch
from gdl_env.ros.gui.match_link import MatchLink
from gdl_env.ros.gui.ros_thread import RosThread
from gdl_env.ros.gui.tables import ENVIRONMENT, Tables
from gdl_env.ros.gui.trainings import Training, Trainings
from gdl_env.ros.names import topic_part

T = TypeVar('T')
# A match that no page shows is let go of after this time [s].
_FORGOTTEN = 20.0
# Services and actions answer within this time, or do not [s].
_PATIENCE = 5.0
# A game is loaded, and compiled if it is new, within this time [s].
_OPENING = 120.0
# An agent that cannot play says so within this time [s].
_STARTING = 30.0
# How the names of agents end that are people at a page.
_PERSON = 'gui_node'


class Hub:
    """The one object behind all pages of a server."""

    def __init__(self, node: Any, folder: Path) -> None:
        self.node = node
        self.ros = RosThread(node)
        self.claims = Claims()
        self.crew = Crew(folder)
        self.folder = folder
        space = node.get_namespace().rstrip('/')
        own = f'{space}/{node.get_name()}'
        self.tables = Tables(self.crew, f'{own}/table')
        self.trainings = Trainings(self.crew, folder, f'{own}/run')
        self.watch = self.ros.do(lambda: GraphWatch(node)).result(_PATIENCE)
        self._links: dict[str, MatchLink] = {}
        self._used: dict[str, float] = {}
        self._games: dict[str, Games] = {}
        self._waiting: set[str] = set()
        self._tasks: list[asyncio.Task[None]] = []

    # ---- matches

    async def link(self, namespace: str) -> MatchLink:
        """Return a match, by its namespace; it is listened to as long as pages ask for it."""
        namespace = '/' + namespace.strip('/') if namespace.strip('/') else ''
        self._used[namespace] = monotonic()
        if namespace not in self._links:
            link = await self._wait(self.ros.do(lambda: MatchLink(self.node, namespace)))
            # Another page may have been quicker.
            if namespace in self._links:
                await self._wait(self.ros.do(link.close))
            else:
                self._links[namespace] = link
        return self._links[namespace]

    def use(self, link: MatchLink) -> None:
        """Note that a page still shows a match."""
        self._used[link.namespace] = monotonic()

    async def tidy(self) -> None:
        """Let go of what nobody looks at, and of the roles of those who left."""
        for namespace, role in self.claims.expired():
            if namespace in self._links:
                await self._leave(self._links[namespace], role)
        now = monotonic()
        for namespace, link in list(self._links.items()):
            is_played = bool(self.claims.taken(namespace))
            if not is_played and now - self._used.get(namespace, 0.0) > _FORGOTTEN:
                del self._links[namespace]
                await self._wait(self.ros.do(link.close))
        known = {*self._links, *self.watch.matches}
        for namespace in [name for name in self._games if name not in known]:
            await self._wait(self.ros.do(self._games.pop(namespace).close))
        self._tasks = [task for task in self._tasks if not task.done()]
        self.crew.look()

    # ---- playing

    async def sit(self, link: MatchLink, role: str, visitor: str) -> None:
        """Give a role to a visitor, and join the match as it. Raises GuiError."""
        # Who is silent may come back as another game.
        if link.info is not None and link.is_alive and role not in link.info.roles:
            raise GuiError(f'{role!r} is not a role; roles: {", ".join(link.info.roles)}')
        self.claims.take(link.namespace, role, visitor)
        is_new = role not in link.seats
        seat = await self._wait(self.ros.do(lambda: link.take_seat(role)))
        if is_new and link.is_alive and link.namespace not in self._waiting:
            # Whoever else is attached to the role is not asked any more.
            await self.set_role(link, role, SetRole.Request.POLICY_AGENT, seat.agent)

    async def stand_up(self, link: MatchLink, role: str, visitor: str) -> None:
        """Give a role back."""
        if self.claims.release(link.namespace, role, visitor):
            await self._leave(link, role)

    async def answer(self, link: MatchLink, role: str, tick: int, move: str) -> None:
        """Play a move. Raises GuiError if it cannot be heard."""
        seat = link.seats.get(role)
        if seat is None:
            raise GuiError(f'nobody here plays {role}')
        await self._wait(self.ros.do(lambda: seat.play(tick, move)))

    async def new_game(self, link: MatchLink, episodes: int = 1) -> None:
        """Have the environment play from a fresh start. Raises GuiError if it will not."""
        games = self._games.get(link.namespace)
        if games is None:
            games = await self._wait(self.ros.do(lambda: Games(self.node, link)))
            self._games[link.namespace] = games
        await self._wait(games.ask(self.ros, episodes))

    async def begin_when_ready(self, namespace: str, roles: list[str]) -> None:
        """Have the first game of a table begin as soon as its environment is there."""
        link = await self.link(namespace)
        self._waiting.add(namespace)

        async def begin() -> None:
            deadline = monotonic() + _OPENING
            try:
                while not link.is_alive:
                    self.use(link)
                    failed = self.crew.failed(namespace)
                    if failed or monotonic() > deadline:
                        said = ' | '.join(list(failed[0].lines)[-3:]) if failed else ''
                        link.trouble = f'the table could not be opened: {said or "no answer"}'
                        return
                    await asyncio.sleep(0.05)
                await self.new_game(link)
            except GuiError as error:
                link.trouble = str(error)
            finally:
                self._waiting.discard(namespace)

        self._tasks.append(asyncio.create_task(begin()))

    async def swap(self, link: MatchLink, role: str, player: str) -> None:
        """Put another agent in the place of whoever plays a role. Raises GdlError."""
        if not player:
            raise GuiError('choose an agent first')
        old = [
            child
            for name in self.watch.players(link.namespace, role)
            if (child := self.crew.find(name)) is not None
        ]
        if player == ENVIRONMENT:
            await self.set_role(link, role, SetRole.Request.POLICY_RANDOM)
        else:
            child = self.tables.start_agent(link.namespace, role, player)
            # From now on the answers of the new one count only, however long it takes to start.
            await self.set_role(link, role, SetRole.Request.POLICY_AGENT, child.node)
            self._tasks.append(asyncio.create_task(self._see_it_play(link, role, player, child)))
        for child in old:
            self.crew.stop(child)

    async def pause_training(self, training: Training) -> None:
        """Pause a run, or let it go on: by its environment. Raises GuiError."""
        link = await self.link(training.namespace)
        await self.pause(link, is_paused=not training.is_paused)
        training.is_paused = not training.is_paused

    async def reset(self, link: MatchLink) -> None:
        """Begin anew. Raises GuiError."""
        await self._ask(Reset, link.name('reset'), Reset.Request(seed=-1))

    async def set_role(self, link: MatchLink, role: str, policy: int, agent: str = '') -> None:
        """Say who decides for a role. Raises GuiError."""
        request = SetRole.Request(role=role, policy=policy, agent=agent)
        await self._ask(SetRole, link.name('set_role'), request)

    async def legal_moves(self, link: MatchLink, role: str) -> tuple[int, list[str]]:
        """Return what a role may do, and at which tick. Raises GuiError where that is hidden."""
        request = LegalMoves.Request(role=role, lane=0)
        answer = await self._ask(LegalMoves, link.name('legal_moves'), request)
        return int(answer.tick), list(answer.move)

    async def undo(self, link: MatchLink, role: str) -> None:
        """Take back what happened since a role decided last. Raises GuiError."""
        others = [r for r in link.status.roles if r.role != role] if link.status else []
        taken = self.claims.taken(link.namespace)
        people = [r.role for r in others if r.role in taken or r.agent.endswith(_PERSON)]
        if people:
            raise GuiError(f'only who plays alone undoes; {", ".join(people)} is a person, too')
        service = link.name(f'{topic_part(role)}/undo')
        if not self.watch.offers(service):
            raise GuiError('this match takes nothing back: its environment has no undo:=N')
        await self._ask(Trigger, service, Trigger.Request())

    async def pause(self, link: MatchLink, *, is_paused: bool) -> None:
        """Pause a match, or let it go on: its environment is a lifecycle node. Raises GuiError."""
        environment = self.watch.environment(link.namespace)
        if not environment:
            raise GuiError('the environment was not found on the graph')
        number = Transition.TRANSITION_DEACTIVATE if is_paused else Transition.TRANSITION_ACTIVATE
        request = ChangeState.Request(transition=Transition(id=number))
        await self._ask(ChangeState, f'{environment}/change_state', request)

    async def levels(self, agent: str, role: str) -> list[tuple[int, float]]:
        """Return the levels of an agent and the reward of each. Raises GuiError."""
        request = ListLevels.Request(role=role)
        found = await self._ask(ListLevels, f'{agent}/list_levels', request)
        return list(zip(found.level, found.reward, strict=True))

    async def set_level(self, agent: str, level: int) -> None:
        """Have an agent play a level from its next move on. Raises GuiError."""
        await self._ask(SetLevel, f'{agent}/set_level', SetLevel.Request(level=str(level)))

    # ---- the end

    def close(self) -> None:
        """End what was started, and leave the graph."""
        self._give_back()
        self.crew.close()
        for link in self._links.values():
            self.ros.do(link.close).result(_PATIENCE)
        self.ros.close()

    # ---- inside

    async def _leave(self, link: MatchLink, role: str) -> None:
        """Take a role off the graph, and let whoever else is attached to it play."""
        await self._wait(self.ros.do(partial(link.leave_seat, role)))
        if link.is_alive:
            await self.set_role(link, role, SetRole.Request.POLICY_AGENT)

    def _give_back(self) -> None:
        """Let others play the roles of people, in matches that go on without this server."""
        asked = [
            self.ros.call(
                SetRole,
                link.name('set_role'),
                SetRole.Request(role=role, policy=SetRole.Request.POLICY_AGENT),
            )
            for link in self._links.values()
            if link.is_alive and link.namespace not in self.tables.tables
            for role in link.seats
        ]
        wait(asked, _PATIENCE)

    async def _see_it_play(self, link: MatchLink, role: str, player: str, child: Child) -> None:
        """Say so if an agent ends at once, and let others play again."""
        link.trouble = ''
        deadline = monotonic() + _STARTING
        while monotonic() < deadline:
            await asyncio.sleep(0.2)
            if child.exit_code:
                said = ' | '.join(line for line in list(child.lines)[-3:] if line.strip())
                link.trouble = f'{player} could not play {role}: {said or "no reason given"}'
                if link.is_alive:
                    await self.set_role(link, role, SetRole.Request.POLICY_AGENT)
                return

    async def _ask(self, kind: Any, name: str, request: Any) -> Any:
        answer = await self._wait(self.ros.call(kind, name, request))
        if not answer.success:
            raise GuiError(getattr(answer, 'message', '') or f'{name} refused')
        return answer

    async def _wait(self, future: Future[T]) -> T:
        try:
            return await asyncio.wait_for(asyncio.wrap_future(future), _PATIENCE)
        except asyncio.TimeoutError:
            raise GuiError(f'no answer within {_PATIENCE:g} s') from None
