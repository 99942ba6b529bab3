"""The environment node: a game on the graph, for agents to attach to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
import hashlib
import os
from pathlib import Path
from time import monotonic
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from gdl_msgs.msg import RoleStatus, Status
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn

from gdl_env.environment.cohorts import split_options
from gdl_env.environment.environment import Environment
from gdl_env.environment.journal import JournalError, open_journal
from gdl_env.environment.lanes.circuit_lanes import CircuitLanes
from gdl_env.environment.lanes.open_lanes import open_lanes
from gdl_env.environment.move_log import MoveLog
from gdl_env.environment.options import Illegal, Options, OptionsError
from gdl_env.environment.referee import Referee
from gdl_env.environment.trace import Backlog, Trace
from gdl_env.environment.undo import UndoHistory
from gdl_env.environment.warm_up import warm_up
from gdl_env.errors import GdlError
from gdl_env.language.game import Game, Information
from gdl_env.language.load import open_game
from gdl_env.ros.declaring import declare, follow
from gdl_env.ros.environment.life_signs import LifeSigns
from gdl_env.ros.environment.match import Match
from gdl_env.ros.environment.phase import MatchPace, Phase, PhaseClocks
from gdl_env.ros.environment.play_server import PlayServer
from gdl_env.ros.environment.record_outbox import RecordOutbox
from gdl_env.ros.environment.services import Services
from gdl_env.ros.environment.spectating import Spectating
from gdl_env.ros.environment.status_report import diagnostics, role_status
from gdl_env.ros.parameters import ENVIRONMENT
from gdl_env.ros.run_node import is_stopping, leave, run
from gdl_env.ros.timers import create_timer
from gdl_env.ros.transport.messages import to_duration, to_game_info
from gdl_env.ros.transport.names import DIAGNOSTICS
from gdl_env.ros.transport.qos import diagnostics_qos
from gdl_env.ros.waiting import WaitingNotice
from gdl_env.ros.warming import announcing_compilation

RCLError = rclpy_implementation.RCLError

# How often status and diagnostics are published [s].
_STATUS_PERIOD = 0.5
_DIAGNOSTICS_PERIOD = 1.0


class EnvNode(LifecycleNode):  # type: ignore[misc]
    """A lifecycle node around a match; the work is done in match.py."""

    def __init__(self) -> None:
        super().__init__('env_node')
        declare(self, ENVIRONMENT)
        follow(self, ENVIRONMENT, self._on_parameter)
        WaitingNotice(self, self._describe_wait)
        self.failure = ''
        # Whether the game or an option is wrong: another try would fail, too.
        self.is_hopeless = False
        self._life_signs = LifeSigns(self)
        self._match: Match | None = None
        self._resumed = False
        self._told = 0.0

    @property
    def subscriptions(self) -> Iterator[Any]:
        """Yield what the executor serves: not the answers, during a flood."""
        match = getattr(self, '_match', None)
        away = match.topics.inbox.taken_away if match else ()
        return (each for each in super().subscriptions if each not in away)

    def start(self) -> None:
        """Configure and activate, unless the parameters leave that to another node."""
        if not self._value('autostart'):
            return
        configured = self.trigger_configure()
        if configured == TransitionCallbackReturn.SUCCESS:
            self.trigger_activate()
        elif not is_stopping():
            self.failure = self.failure or 'the environment could not be configured'

    def destroy_node(self) -> None:
        """Leave the graph for good, so that others hear of it.

        rclpy forgets the action and the state machine of the lifecycle. They would keep the
        participant of DDS until the process is gone without a word: others would see the node for
        as long as they believe in a silent process.
        """
        self._close()
        super().destroy_node()
        self._state_machine.destroy_when_not_in_use()

    # ---- lifecycle

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Load the game and join the graph."""
        try:
            self._open()
        except (GdlError, OSError, ValueError) as error:
            self.failure = str(error)
            self.is_hopeless = not isinstance(error, OSError | JournalError)
            self.get_logger().error(str(error))
            return TransitionCallbackReturn.FAILURE
        except KeyboardInterrupt:
            # A signal while the engine was compiled: the node ends.
            return TransitionCallbackReturn.FAILURE
        return TransitionCallbackReturn.SUCCESS

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Start or resume play."""
        match = self._running()
        if self._resumed or self._server.is_running or self._value('episodes'):
            match.begin()
        else:
            match.phase = Phase.WAITING
            match.message = 'waiting for a play_matches goal'
        return super().on_activate(state)

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Pause: no agent receives a question."""
        self._running().pause()
        self._publish_status()
        return super().on_deactivate(state)

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Leave the graph and let go of the game."""
        self._close()
        return TransitionCallbackReturn.SUCCESS

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Leave the graph."""
        self._close()
        return TransitionCallbackReturn.SUCCESS

    def _LifecycleNodeMixin__on_change_state(self, request: Any, response: Any) -> Any:  # noqa: N802
        """Refuse transitions that the state does not have; rclpy lets them end the node."""
        try:
            return super()._LifecycleNodeMixin__on_change_state(request, response)
        except RCLError as error:
            self.get_logger().error(str(error))
            response.success = False
            return response

    # ---- inside

    def _open(self) -> None:
        cohorts = self._environments()
        environment, lanes = cohorts[0], self._value('lanes')
        journal = backlog = None
        if path := self._value('journal'):
            backlog = Backlog(*cohorts)
            # What is played again is no news.
            log, environment.game.move_log = environment.game.move_log, None
            journal, _ = open_journal(Path(path), environment, backlog.follow, cohorts[1:])
            tick = max(each.tick for each in cohorts)
            # A reset alone counts as a tick: episodes were requested.
            self._resumed = tick > 1
            if self._resumed:
                self.get_logger().info(f'resuming at tick {tick}, from {path}')
            else:
                environment.game.move_log = log
        with_text = _is_on(self._value('text'), lanes == 1)
        spectating = Spectating(self._value('spectator'), with_text=with_text)
        clocks = self._clocks()
        info = replace(
            environment.info(with_rules=self._value('publish_rules')),
            lanes=lanes,
            cohorts=len(cohorts),
        )
        self._match = Match(
            self,
            [Referee(each, journal, number) for number, each in enumerate(cohorts)],
            info,
            clocks,
            spectating=spectating,
            life_signs=self._life_signs,
            outbox=self._open_outbox if environment.game.trace else None,
            pace=MatchPace(self._value('busy_wait'), self._value('learner_lead')),
        )
        self._match.on_end = self._on_end
        if undo := self._value('undo'):
            self._match.undo_history = UndoHistory(undo)
        # Nothing is played before it is activated.
        self._match.pause()
        if backlog is not None:
            self._match.backlog = backlog.take()
        self._server = PlayServer(self, self._match, self._roles)
        self._desk = Services(self, self._match, spectating, lambda: self._server.is_running)
        self._diagnostics = self.create_publisher(DiagnosticArray, DIAGNOSTICS, diagnostics_qos())
        self._pulses = [
            create_timer(self, _STATUS_PERIOD, self._publish_status),
            create_timer(self, _DIAGNOSTICS_PERIOD, self._publish_diagnostics),
        ]
        message = to_game_info(info, public_seed(environment.seed))
        message.start_clock = to_duration(clocks.start)
        message.play_clock = to_duration(clocks.play)
        self._match.topics.info.publish(message)
        kind = type(environment.game).__name__
        parts = f' in {len(cohorts)} cohorts' if len(cohorts) > 1 else ''
        self.get_logger().info(
            f'{info.name}: roles {" ".join(info.roles)}, {lanes} lane(s){parts}, {kind}'
        )

    def _clocks(self) -> PhaseClocks:
        names = ('start_clock', 'play_clock', 'missing_clock', 'total_clock', 'increment')
        clocks = PhaseClocks(*map(self._value, names))
        clocks.check(self._value('lanes'))
        return clocks

    def _on_parameter(self, name: str, value: object) -> None:
        """Let a clock take effect: questions tell the time that is left."""
        if self._match is not None:
            self._match.set_clocks(self._clocks())
            self.get_logger().info(f'{name} is {value} s from now on')

    def _describe_wait(self) -> str:
        match = self._match
        if match is None or match.phase not in (Phase.WAITING, Phase.PLAYING):
            return ''
        first, said, what = match.message.partition('waiting for ')
        return what if said and not first else ''

    def _open_outbox(self, on_progress: Callable[[], None]) -> RecordOutbox:
        return RecordOutbox(
            self,
            on_progress,
            patience=self._value('record_clock'),
            is_required=self._value('require_recorder'),
            is_resumed=self._resumed,
        )

    def _environments(self) -> list[Environment]:
        """Open the environment of each cohort."""
        options = Options(
            lanes=self._value('lanes'),
            seed=self._value('seed'),
            episodes=max(0, self._value('episodes')),
            max_steps=self._value('max_steps'),
            illegal=Illegal(self._value('illegal')),
            reward=self._value('reward'),
            turn=self._value('turn'),
            teams=dict(_team(entry) for entry in self._value('teams') if entry),
        )
        game = open_game(self._value('game'))
        parts = split_options(options, self._value('cohorts'))
        found = [self._open_cohort(game, part) for part in parts]
        for team, roles in options.teams.items():
            for role in roles:
                if role not in found[0].roles:
                    raise OptionsError(
                        f'team {team}: {role} is not a role; roles: {", ".join(found[0].roles)}'
                    )
        return found

    def _open_cohort(self, game: Game, options: Options) -> Environment:
        engine, mapping = self._value('engine'), self._value('mapping')
        first = options.first_lane
        with announcing_compilation(self.get_logger(), 'the engine'):
            lanes = open_lanes(game, options.lanes, engine, mapping)
            if isinstance(lanes, CircuitLanes) and not first:
                warm_up(game, options, engine, mapping)
        if (traced := min(self._value('record_lanes') - first, options.lanes)) > 0:
            lanes.trace = Trace(game, lanes.roles, traced, first)
        if game.information is Information.COMPLETE and not first:
            # What chance does before the first tick may be announced to those who attach later.
            lanes.move_log = MoveLog(lanes.roles)
        return Environment(lanes, options)

    def _close(self) -> None:
        if self._match is None:
            return
        for timer in self._pulses:
            self.destroy_timer(timer)
        self._desk.close()
        self._server.close()
        self._match.close()
        self.destroy_publisher(self._diagnostics)
        if (journal := self._match.referees[0].journal) is not None:
            journal.close()
        for cohort in self._match.cohorts:
            cohort.environment.close()
        self._match = None
        self._resumed = False

    def _on_end(self) -> None:
        self._publish_status()
        self._server.report()
        self._server.end()

    def _roles(self) -> list[RoleStatus]:
        match = self._running()
        standing = match.standings.now
        return [
            role_status(
                standing,
                role,
                match.environment.policies[role],
                is_attached=match.is_attached(role),
                owner=match.roster.owner(role),
                standby=match.roster.standby(role),
                time_left=match.time_left(role),
            )
            for role in match.environment.roles
        ]

    def _publish_status(self) -> None:
        match = self._running()
        standing = match.standings.now
        tallies = standing.tallies
        match.meter.measure(monotonic(), tallies.steps, standing.tick)
        match.topics.status.publish(
            Status(
                stamp=self.get_clock().now().to_msg(),
                phase=int(match.phase),
                # A resumed match is past its start, whatever is known of it.
                tick=max(standing.tick, 2) if self._resumed else standing.tick,
                finished_episodes=tallies.finished,
                steps=tallies.steps,
                step_rate=match.meter.rate,
                roles=self._roles(),
                message=match.message,
            )
        )
        self._server.report()

    def _publish_diagnostics(self) -> None:
        match = self._running()
        self._diagnostics.publish(
            diagnostics(
                self.get_clock().now().to_msg(),
                self.get_fully_qualified_name(),
                match.info,
                match.standings.now,
                match.meter,
                self._roles(),
                match.message or match.phase.name.lower(),
                None if match.credits is None else match.credits.lost,
            )
        )

    def _running(self) -> Match:
        if self._match is None:
            raise GdlError('the environment is not configured')
        return self._match

    def _value(self, name: str) -> Any:
        return self.get_parameter(name).value


def public_seed(seed: int) -> int:
    """Return the seed that agents receive: they derive their own, but cannot foresee chance.

    Whoever guesses the seed can check the guess; so where something is at stake, take a large one.
    """
    digest = hashlib.scrypt(str(seed).encode(), salt=b'gdl_env', n=2**12, r=8, p=1, dklen=8)
    return int.from_bytes(digest, 'big') >> 2


def _is_on(value: str, automatic: bool) -> bool:
    return automatic if value == 'auto' else value == 'on'


def _team(entry: str) -> tuple[str, tuple[str, ...]]:
    name, colon, roles = entry.partition(':')
    if not colon or not name.strip() or not roles.split():
        raise OptionsError(f'a team is written "name: role role", not {entry!r}')
    return name.strip(), tuple(roles.split())


def main() -> None:
    """Run the node until it is stopped."""
    node = run(_make, lambda node: bool(node.failure))
    leave(os.EX_CONFIG if node.is_hopeless else 1 if node.failure else 0)


def _make() -> EnvNode:
    node = EnvNode()
    node.start()
    return node
