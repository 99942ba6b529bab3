"""A table on which a simulated arm plays a simulated hand, with all that goes wrong, counted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

from gdl_agents.registry import open_agent
from gdl_env.engine.contract import NATURE, Moves, State
from gdl_env.engine.registry import open_engine
from gdl_env.environment.environment import Environment
from gdl_env.environment.options import Options
from gdl_env.environment.protocol import Answer
from gdl_env.language.load import open_game
from gdl_env.language.reader import read_term
from gdl_env.language.terms import Symbol
from gdl_env.robot.arranger import Arranger, MotionStage
from gdl_env.robot.move_watch import MoveWatch
from gdl_env.robot.perception import BoardVerdict, Recogniser, Recognition, SeenSquares
from gdl_env.robot.physics.physical_table import PhysicalTable, TableOptions
from gdl_env.robot.physics.table_camera import PictureNoise, TableCamera
from gdl_env.robot.physics.table_layout import lay_out
from gdl_env.robot.positions import Position, PositionReader
from gdl_env.robot.robot_setup import Geometry, default_setup
from gdl_env.robot.vision.board_eye import BoardEye

# Pictures of a move until it has to be explained.
_PICTURES = 12
# How often an arm tries a move, as `robot:AGENT` does.
_ATTEMPTS = 3


@dataclass
class Disturbances:
    """What goes wrong, as shares of moves or motions."""

    # The gripper loses its hold.
    slips: float = 0.0
    # The hand begins with a wrong move.
    blunders: float = 0.0
    # A piece is knocked over, or aside.
    knocks: float = 0.0


@dataclass
class Count:
    """What has happened."""

    games: int = 0
    finished: int = 0
    moves: int = 0
    # Of the arm, with the time that they took on the table [s].
    motions: int = 0
    arm_seconds: float = 0.0
    # Moves of the hand, those that the camera explained rightly, and wrongly.
    shown: int = 0
    recognised: int = 0
    mistaken: int = 0
    # After a move: pieces that do not stand as the rules have them, unnoticed.
    wrong_squares: int = 0
    # Disturbances, those that were told, those that the arm put right without a word, and those
    # after which the game went on.
    disturbed: int = 0
    told: int = 0
    righted: int = 0
    recovered: int = 0
    stopped: int = 0
    words: list[str] = field(default_factory=list)


class ArmGame:
    """One table for several games."""

    def __init__(
        self,
        name: str,
        seed: int,
        noise: PictureNoise | None = None,
        trouble: Disturbances | None = None,
        size: tuple[int, int] = (960, 720),
    ) -> None:
        self.trouble = trouble or Disturbances()
        game = open_game(name)
        self.engine = open_engine(game)
        self.reader = PositionReader(game, name)
        self.start = self.reader.read(self.engine.initial_state)
        setup = default_setup(self.reader, self.start)
        self.geometry = Geometry(setup, self.reader)
        layout = lay_out(self.geometry, *size)
        options = TableOptions(slips=self.trouble.slips, seed=seed)
        self.table = PhysicalTable(self.geometry, layout, self.start, options)
        self.camera = TableCamera(self.table.world, noise, seed)
        self.eye = BoardEye(self.geometry, layout.camera)
        self.eye.learn(self.camera.take(), self.start)
        self.recogniser = Recogniser(self.engine, self.reader, setup.flips)
        self.random = Random(seed)
        self.count = Count()
        self.state: State = self.engine.initial_state

    def look(self) -> SeenSquares:
        """Return what the camera sees after a moment."""
        self.table.world.advance(0.1)
        return self.eye.see(self.camera.take())

    def play(self, most: int, choose: Callable[[], Moves] | None = None) -> bool:
        """Play a game, of random moves by default; tell whether it ended within `most` moves."""
        self.state = self.engine.initial_state
        self.table.set_up(self.start)
        self.arranger = Arranger(self.geometry, self.recogniser, self.table, self.look)
        self.count.games += 1
        for _ in range(most):
            if self.engine.is_terminal(self.state):
                break
            if not self.play_move((choose or self.choose)()):
                self.count.stopped += 1
                return False
        is_over = self.engine.is_terminal(self.state)
        self.count.finished += is_over
        return is_over

    def play_as(self, name: str, seed: int, most: int) -> bool:
        """Play a game in which an agent decides for the arm; tell whether it ended."""
        environment = Environment.open(self.engine.game, Options(seed=seed, episodes=1))
        agent, info = open_agent(name), environment.info()
        first = environment.roles[0]
        agent.begin(info, (first,), seed)

        def choose() -> Moves:
            legal = self.engine.legal_moves(self.state)
            actors = self.engine.actors(self.state)
            if all(len(legal[role]) == 1 for role in actors):
                # The environment plays forced moves by itself.
                return {role: legal[role][0] for role in actors}
            answers, moves = {}, {role: legal[role][0] for role in actors}
            for question in environment.questions(with_text=True):
                if not question.is_decision:
                    continue
                text = self.random.choice(question.legal_moves)
                if question.role == first:
                    answer = agent.choose(question)
                    if answer.action is not None:
                        text = info.moves[answer.action[0]]
                    else:
                        text = answer.moves[0]
                signed = Answer(question.tick, question.role, 'table', moves=(text,))
                answers[question.role] = signed
                moves[Symbol(question.role)] = read_term(text)
            environment.step(answers)
            return moves

        is_over = self.play(most, choose)
        agent.end()
        environment.close()
        return is_over

    def choose(self) -> Moves:
        """Return random moves of all roles that act."""
        legal = self.engine.legal_moves(self.state)
        return {role: self.random.choice(legal[role]) for role in self.engine.actors(self.state)}

    def play_move(self, moves: Moves) -> bool:
        """Have moves played, by the arm if they are of the first role; tell whether they are."""
        after = self.engine.next_state(self.state, moves)
        self.count.moves += 1
        is_knocked = self.random.random() < self.trouble.knocks and self.knock()
        if self.engine.roles[0] in moves and len(moves) == 1:
            is_played = self.play_by_arm(moves, after, is_knocked)
        else:
            if is_knocked:
                self.put_right(self.reader.read(self.state))
            is_played = self.play_by_hand(moves, after)
        if is_played:
            wrong = self.differences(self.reader.read(after))
            self.count.wrong_squares += len(wrong)
            self.count.words += [f'wrong after {_name(moves)}: {one}' for one in wrong]
            self.state = after
        return is_played

    # ---- the arm

    def play_by_arm(self, moves: Moves, after: State, is_knocked: bool = False) -> bool:
        """Have the arm play a move; the person helps as its words ask for."""
        believed, wanted = self.reader.read(self.state), self.reader.read(after)
        shown = {str(role): str(move) for role, move in moves.items()}
        for attempt in range(_ATTEMPTS):
            began = self.table.world.time
            done = self.arranger.arrange(
                *(believed, wanted, self.reader.path(shown), self.show_stage, lambda: False)
            )
            self.count.motions += done.motions
            self.count.arm_seconds += self.table.world.time - began
            if not done.message:
                is_righted = is_knocked and not attempt
                self.count.disturbed += is_righted
                self.count.righted += is_righted
                self.count.recovered += is_righted + attempt
                return True
            self.count.disturbed += 1
            self.count.told += 1
            self.count.words.append(f'{_name(moves)}: {done.message}')
            # The person puts pieces as they were before the move.
            self.table.rearrange(believed)
        return False

    def show_stage(self, stage: MotionStage) -> None:
        """Be shown what the arm does."""

    # ---- the person

    def play_by_hand(self, moves: Moves, after: State) -> bool:
        """Play a move by hand, and have the camera explain it."""
        position = self.reader.read(self.state)
        if self.random.random() < self.trouble.blunders and self.blunder(position):
            self.put_right(position)
        wanted = self.reader.read(after)
        if wanted == position:
            # Nothing can be seen of it.
            return True
        self.table.rearrange(wanted)
        self.count.shown += 1
        found = self.recognise()
        if found.verdict is not BoardVerdict.MOVED:
            self.count.words.append(f'not recognised: {_name(moves)}: {found.advice}')
            return True
        expected = {str(role): str(move) for role, move in moves.items() if role != NATURE}
        is_right = all(found.moves.get(role) == move for role, move in expected.items())
        self.count.recognised += is_right
        self.count.mistaken += not is_right
        if not is_right:
            self.count.words.append(f'mistaken: {_name(moves)} for {dict(found.moves)}')
        return True

    def recognise(self) -> Recognition:
        """Return what the pictures mean, once they agree."""
        watch, last = MoveWatch(self.recogniser, self.state), Recognition(BoardVerdict.WAITING)
        for _ in range(_PICTURES):
            found = watch.take(self.look())
            if found is not None:
                last = found
                if found.verdict is not BoardVerdict.WAITING:
                    break
        return last

    def blunder(self, position: Position) -> bool:
        """Begin with a wrong move: two pieces that no rule allows."""
        free = [place for place in self.reader.places if place not in position]
        if len(free) < 2:
            return False
        pieces = [(self.random.choice(self.reader.pieces),) for _ in range(2)]
        extra = dict(zip(self.random.sample(free, 2), pieces, strict=True))
        self.table.rearrange({**position, **extra})
        return True

    def knock(self) -> bool:
        """Knock against a piece; tell whether that changed the board."""
        standing = sorted(self.table.position)
        if not standing:
            return False
        self.table.knock_over(self.random.choice(standing))
        return bool(self.differences(self.reader.read(self.state)))

    def put_right(self, position: Position) -> None:
        """Have what is wrong told, and put it right by hand."""
        self.count.disturbed += 1
        found = self.recognise()
        if found.advice:
            self.count.told += 1
            self.count.words.append(found.advice)
        self.table.rearrange(position)
        self.count.recovered += not self.differences(position)

    def differences(self, wanted: Position) -> list[str]:
        """Return squares on which something else stands than should, in words."""
        stands = self.table.position
        return [
            f'{self.reader.words(place)}: {stands.get(place)} for {wanted.get(place)}'
            for place in self.reader.places
            if stands.get(place, ()) != wanted.get(place, ())
        ]

    def close(self) -> None:
        """Release the camera."""
        self.camera.close()


def _name(moves: Moves) -> str:
    return ', '.join(f'{role} {move}' for role, move in moves.items())
