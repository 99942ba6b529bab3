"""Which moves, and which failures, the pictures of a table show."""

from __future__ import annotations

from dataclasses import dataclass, field

from arm_game import ArmGame

from gdl_env.engine.contract import NATURE, Moves
from gdl_env.robot.arranger import confirm
from gdl_env.robot.move_watch import MoveWatch
from gdl_env.robot.perception import BoardVerdict
from gdl_env.robot.positions import Position

# After so many pictures a move counts as not recognised; by then a person has been told why.
_PICTURES = 30
# One of so many moves fails, too.
_FAILING = 20


@dataclass
class PictureCount:
    """What has happened."""

    moves: int = 0
    recognised: int = 0
    # Explained by another move than was played: nobody would notice.
    mistaken: int = 0
    # Not explained, and a person was told why.
    told: int = 0
    pictures: int = 0
    # A piece does not stand where it should, and the pictures show it.
    failures: int = 0
    noticed: int = 0
    words: list[str] = field(default_factory=list)


class PictureTest:
    """Plays random moves, each position as a hand leaves it."""

    def __init__(self, table: ArmGame) -> None:
        self.table = table
        self.count = PictureCount()

    def run(self, moves: int) -> None:
        """Play so many moves that can be seen, and release the camera."""
        table = self.table
        while self.count.moves < moves:
            if table.engine.is_terminal(table.state):
                table.state = table.engine.initial_state
            played = table.choose()
            after = table.engine.next_state(table.state, played)
            before, wanted = table.reader.read(table.state), table.reader.read(after)
            if before != wanted:
                self.show_move(played, wanted)
                if self.count.moves % _FAILING == 0:
                    self.show_failure(before, wanted)
            table.state = after
        table.close()

    def show_move(self, played: Moves, wanted: Position) -> None:
        """Show a move until a picture explains it: even the first one that does must be right."""
        table, count = self.table, self.count
        table.table.set_up(wanted)
        count.moves += 1
        watch = MoveWatch(table.recogniser, table.state, pictures=1)
        advice = ''
        for _ in range(_PICTURES):
            count.pictures += 1
            found = watch.take(table.look())
            if found is None:
                continue
            advice = found.advice
            if found.verdict is BoardVerdict.MOVED:
                is_right = all(
                    found.moves.get(str(role)) == str(move)
                    for role, move in played.items()
                    if role != NATURE
                )
                count.recognised += is_right
                count.mistaken += not is_right
                if not is_right:
                    count.words.append(f'mistaken: {dict(found.moves)}')
                return
        count.told += bool(advice)
        count.words.append(f'not recognised: {advice}')

    def show_failure(self, before: Position, wanted: Position) -> None:
        """Let a piece be lost, somewhere else or fallen, and look as an arm looks at its work."""
        table, count = self.table, self.count
        arrived = sorted(p for p in wanted if before.get(p) != wanted[p])
        if not arrived:
            return
        place = table.random.choice(arrived)
        rest = {p: stack for p, stack in wanted.items() if p != place}
        free = [p for p in table.reader.places if p not in wanted]
        kinds = ['lost', 'fallen', *(['elsewhere'] if free else [])]
        kind = table.random.choice(kinds)
        if kind == 'fallen':
            table.table.knock_over(place)
        elif kind == 'elsewhere':
            table.table.set_up({**rest, table.random.choice(free): wanted[place]})
        else:
            table.table.set_up(rest)
        if table.table.position == wanted:
            # The piece has only been moved on its square.
            return
        count.failures += 1
        check = confirm(table.recogniser, wanted, [place], table.look)
        is_noticed = check is not None and bool(check.advice)
        count.noticed += is_noticed
        if not is_noticed:
            count.words.append(f'not noticed: {kind} on {table.reader.words(place)}')
