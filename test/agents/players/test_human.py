"""A person at the terminal, played by a script over a pseudo-terminal."""

from collections.abc import Iterator
import os
from pathlib import Path
import pty
import sys
import threading
import time

from agent_questions import ask_one, ask_text, give_feedback, make_info, make_text_info
import pytest

from gdl_agents.errors import AgentError, LateError, LeaveError
from gdl_agents.players.human import HumanAgent
from gdl_agents.players.terminal import Terminal
from gdl_env.environment.protocol import Origin

END = b'<the end>'


class Person:
    """The other side of a terminal: types lines, sees what was shown."""

    def __init__(self) -> None:
        self.side, self.other = pty.openpty()
        self.agent = HumanAgent(os.ttyname(self.other))
        self.agent.begin(make_info(), ('x',), 1)
        self._seen = b''
        self._watcher = threading.Thread(target=self._watch, daemon=True)
        self._watcher.start()

    def type(self, *lines: str) -> None:
        os.write(self.side, ''.join(f'{line}\n' for line in lines).encode())

    def seen(self) -> str:
        """Return all that was shown; the terminal is closed then."""
        self.agent.end()
        # What is still on its way is lost when a terminal closes: wait until all of it has come.
        os.write(self.other, END)
        deadline = time.monotonic() + 60
        while END not in self._seen and time.monotonic() < deadline:
            time.sleep(0.01)
        self._leave()
        return self._seen.partition(END)[0].decode().replace('\r\n', '\n')

    def close(self) -> None:
        """End everything: a watcher that is left would read what is shown to the next person."""
        self.agent.end()
        self._leave()
        os.close(self.side)

    def _leave(self) -> None:
        if self.other >= 0:
            os.close(self.other)
            self.other = -1
            self._watcher.join(60)

    def _watch(self) -> None:
        try:
            while data := os.read(self.side, 4096):
                self._seen += data
        except OSError:
            # What a terminal says whose other side has gone.
            return


@pytest.fixture
def person() -> Iterator[Person]:
    someone = Person()
    yield someone
    someone.close()


def test_a_move_by_its_number(person: Person) -> None:
    person.type('2')
    answer = person.agent.choose(ask_one(0, 4, 8))
    assert answer.action is not None
    assert answer.action.tolist() == [4]
    seen = person.seen()
    assert 'tictactoe: you play x.' in seen
    assert '2  (mark 2 2)' in seen
    assert 'cell:' in seen


def test_a_move_by_its_text_and_what_else_can_be_typed(person: Person) -> None:
    person.type('', 'help', 'moves 3 3', 'state', '7', 'mark 5 5', 'MARK 3 3')
    answer = person.agent.choose(ask_one(0, 4, 8))
    assert answer.action is not None
    assert answer.action.tolist() == [8]
    seen = person.seen()
    assert 'leave the match' in seen
    assert 'there is no move 7: type a number from 1 to 3' in seen
    assert "'mark 5 5' is not a legal move" in seen
    assert seen.count('cell:') == 2


@pytest.mark.parametrize('typed', ['quit\n', '\x04'])
def test_leaving(person: Person, typed: str) -> None:
    os.write(person.side, typed.encode())
    with pytest.raises(LeaveError, match='who played x left the match'):
        person.agent.choose(ask_one(0, 4))


def test_time_is_up(person: Person) -> None:
    with pytest.raises(LateError):
        person.agent.choose(ask_one(0, 4, time_left=0.05))
    person.type('1')
    person.agent.learn(give_feedback(origin=give_feedback().origin * Origin.LATE))
    seen = person.seen()
    assert 'The time is up' in seen
    assert 'x: (mark 1 1); it was played in your place' in seen
    assert 'The game is over. x: 100' in seen


def test_hidden_facts_are_shown_as_ones_own(person: Person) -> None:
    person.agent.begin(make_text_info(), ('x',), 1)
    person.type('1')
    answer = person.agent.choose(ask_text('noop', facts=('(sees x (card 3))', '(sees o hi)')))
    assert answer.moves == ('noop',)
    assert '\n  (card 3)   (sees o hi)\n' in person.seen()


def test_many_lanes_are_refused() -> None:
    with pytest.raises(AgentError, match='this match has 8'):
        HumanAgent('stdin').begin(make_info(lanes=8), ('x',), 1)


def test_a_terminal_that_is_not_there() -> None:
    with pytest.raises(AgentError, match='cannot open terminal'):
        Terminal('/no/such/terminal')


def test_standard_input(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    script = tmp_path / 'script'
    script.write_text('(mark 1 1)\n')
    shown = tmp_path / 'shown'
    with script.open() as source, shown.open('w') as target:
        monkeypatch.setattr(sys, 'stdin', source)
        monkeypatch.setattr(sys, 'stdout', target)
        agent = HumanAgent('stdin')
        agent.begin(make_info(), ('x',), 1)
        answer = agent.choose(ask_one(0, 1))
        with pytest.raises(LeaveError):
            agent.choose(ask_one(0, 1))
        monkeypatch.undo()
    assert answer.action is not None
    assert answer.action.tolist() == [0]
    assert 'x> (mark 1 1)' in shown.read_text()
