"""Messages of the GGP protocol, as servers and players of others write them."""

from __future__ import annotations

import pytest

from gdl_agents.ggp.lists import ProtocolError, split_list
from gdl_agents.ggp.messages import (
    Abort,
    Info,
    Message,
    News,
    Play,
    Preview,
    Start,
    Stop,
    read_message,
    write_message,
)

RULES = '(role white)\n(<= (legal ?p noop) (role ?p))'

MESSAGES = [
    ('(INFO)', Info()),
    ('( info )', Info()),
    ('(ABORT m.1)', Abort('m.1')),
    ('(PREVIEW ((role white)) 10)', Preview('(role white)', 10)),
    (
        '(START m White ((role white)(<= (legal ?p noop)\n (role ?p))) 30 15)',
        Start('m', 'white', RULES, 30, 15),
    ),
    ('(PLAY m NIL)', Play('m', News())),
    ('(play m ())', Play('m', News())),
    ('(PLAY m ((mark 1 1) NOOP))', Play('m', News(('(mark 1 1)', 'NOOP')))),
    ('(STOP m (noop (mark 2 2)))', Stop('m', News(('noop', '(mark 2 2)')))),
    ('(PLAY m 0 NIL NIL)', Play('m', News(percepts=()))),
    (
        '(PLAY m 3 (open 2) ((car 1) ding))',
        Play('m', News(percepts=('(car 1)', 'ding'), own='(open 2)', turn=3)),
    ),
]


@pytest.mark.parametrize(('text', 'message'), MESSAGES, ids=[text for text, _ in MESSAGES])
def test_messages_are_read(text: str, message: Message) -> None:
    assert read_message(text) == message


@pytest.mark.parametrize('message', [message for _, message in MESSAGES], ids=repr)
def test_messages_are_read_as_they_were_written(message: Message) -> None:
    assert read_message(write_message(message)) == message


def test_comments_do_not_travel() -> None:
    start = Start('m', 'white', '(role white) ; (the first\n(role black)', 1, 1)
    assert write_message(start) == '(START m white ((role white) (role black)) 1 1)'


BROKEN = [
    ('', 'expected a list'),
    ('PLAY m NIL', 'expected a list'),
    ('()', 'an empty message'),
    ('(PLAY m (a b)', 'not balanced'),
    ('(PLAY m a) b)', 'not balanced'),
    ('(PLAY m)', 'PLAY with 1 parts'),
    ('(DANCE m)', "no message 'DANCE'; messages: INFO, PREVIEW, START, PLAY, STOP, ABORT"),
    ('(START m white ((role white)) soon 15)', "seconds, not 'soon'"),
    ('(START m white ((role white)) -1 15)', '0 seconds or more'),
    ('(START m white ((role white)) nan 15)', '0 seconds or more'),
    ('(PLAY m now (a) NIL)', "a number, not 'now'"),
]


@pytest.mark.parametrize(('text', 'problem'), BROKEN, ids=[text or 'empty' for text, _ in BROKEN])
def test_what_is_no_message_is_refused(text: str, problem: str) -> None:
    with pytest.raises(ProtocolError, match=problem.replace('(', r'\(')):
        read_message(text)


def test_lists_in_lists() -> None:
    assert split_list('(a (b (c)) () ((d) e))') == ('a', '(b (c))', '()', '((d) e)')
