"""A game with all that was tried in it: positions as a tree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from gdl_env.gui.study.replays import ReplayStep


@dataclass
class TreeNode:
    """A position: the step that led to it, where it was made, and what followed."""

    number: int
    step: ReplayStep
    # The number of the position before; None at the beginning.
    parent: int | None = None
    # The first one is the line that was played, the others are branches.
    children: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class TreeEntry:
    """A position in the order of reading: branches follow the move that they replace."""

    number: int
    # Steps from the beginning.
    place: int
    # How many times a line was left to come here; 0: this is the game.
    depth: int


class BranchTree:
    """Positions by number; 0 is the beginning."""

    def __init__(self, steps: Iterable[ReplayStep]) -> None:
        """Begin with a line of steps, of which the first one is the beginning."""
        first, *others = steps
        self.nodes = [TreeNode(0, first)]
        for step in others:
            self.add(len(self.nodes) - 1, step)

    def __getitem__(self, number: int) -> ReplayStep:
        return self.nodes[number].step

    def add(self, parent: int, step: ReplayStep) -> int:
        """Return the position that a step leads to; what is there already is found again."""
        before = self.nodes[parent]
        for number in before.children:
            known = self.nodes[number].step
            if known.moves == step.moves and set(known.facts) == set(step.facts):
                return number
        number = len(self.nodes)
        self.nodes.append(TreeNode(number, step, parent))
        before.children.append(number)
        return number

    def find_line(self, number: int) -> list[int]:
        """Return the positions from the beginning through one to the end of its line."""
        line = [number]
        while (before := self.nodes[line[-1]].parent) is not None:
            line.append(before)
        line.reverse()
        while after := self.nodes[line[-1]].children:
            line.append(after[0])
        return line

    def entries(self) -> list[TreeEntry]:
        """Return all positions in the order of reading."""
        return list(self._read())

    def _read(self) -> Iterator[TreeEntry]:
        yield TreeEntry(0, 0, 0)
        # Lines that are to be read, the next one last. A line of a thousand moves is no depth.
        waiting = [(0, 1, 0, True)]
        while waiting:
            number, place, depth, has_branches = waiting.pop()
            # Of a branch, the first move stands beside those that it replaces.
            children = self.nodes[number].children if has_branches else [number]
            if not children:
                continue
            yield TreeEntry(children[0], place, depth)
            waiting.append((children[0], place + 1, depth, True))
            waiting += [(other, place, depth + 1, False) for other in reversed(children[1:])]
