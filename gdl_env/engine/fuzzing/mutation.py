"""Rule files with mistakes in them: characters and tokens left out, doubled, swapped, replaced."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
import re

from gdl_env.engine.fuzzing.rules import GeneratedGame, RuleText

_TOKEN = re.compile(r'[()]|[^\s()]+|\s+')
# What is worth putting where it does not belong.
_INSERTS = (
    *'()?:;[],-"\\\x00\r\t|#{}',
    '\ufeff',
    'ü',
    '\U0001d518',
    '?x',
    '?',
    '<=',
    'not',
    'or',
    'and',
    'count',
    'distinct',
    'true',
    'does',
    'random',
    'role',
    'init',
    'next',
    'legal',
    'goal',
    'terminal',
    'sees',
    'type',
    'typemap',
    'typecombine',
    'option',
    'list',
    'grid',
    'add',
    'div',
    'less',
    'base',
    'noop',
    '[1,3]:?x',
    '[3,1]:?x',
    '[1,size]',
    'a:b:c',
    '-0',
    '007',
    '99999999999999999999',
    '9' * 1001,
    '(' * 300,
    ')' * 300,
    '(not ' * 50,
)
_MOST_EDITS = 6
# Of a longer file only some lines are taken, mostly: mistakes are local, and time is not endless.
_MOST_LINES = 60
_WHOLE = 0.1


def mutate(seed: int, paths: Sequence[Path]) -> GeneratedGame:
    """Return one of the rule files, or a part of it, with a few edits; its lines are the rules."""
    random = Random(f'mutation/{seed}')
    text = random.choice(paths).read_bytes().decode('latin-1')
    lines = text.split('\n')
    if len(lines) > _MOST_LINES and random.random() > _WHOLE:
        first = random.randrange(len(lines) - _MOST_LINES)
        text = '\n'.join(lines[first : first + _MOST_LINES])
    edits: tuple[Callable[[str, Random], str], ...] = (_edit_characters, _edit_tokens, _edit_forms)
    for _ in range(random.randint(1, _MOST_EDITS)):
        text = random.choice(edits)(text, random)
    if random.random() < 0.05:
        # A file that was cut off.
        text = text[: random.randrange(len(text) + 1)]
    # Of other line ends than \n, none begins a new rule.
    return GeneratedGame(seed, tuple(RuleText(line) for line in text.split('\n')))


def _edit_characters(text: str, random: Random) -> str:
    start = random.randrange(len(text) + 1)
    end = start + random.choice((0, 0, 1, 1, 2, 10))
    new = random.choice(('', random.choice(_INSERTS), chr(random.randrange(256))))
    return text[:start] + new + text[end:]


def _edit_tokens(text: str, random: Random) -> str:
    tokens = _TOKEN.findall(text) or ['']
    place, other = random.randrange(len(tokens)), random.randrange(len(tokens))
    kind = random.randrange(5)
    if kind == 0:
        del tokens[place]
    elif kind == 1:
        tokens.insert(place, tokens[place])
    elif kind == 2:
        tokens[place], tokens[other] = tokens[other], tokens[place]
    elif kind == 3:
        tokens[place] = random.choice(_INSERTS)
    else:
        tokens[place] = tokens[other]
    return ''.join(tokens)


def _edit_forms(text: str, random: Random) -> str:
    """Move, double or leave out a line."""
    lines = text.split('\n')
    place = random.randrange(len(lines))
    line = lines[place] if random.random() < 0.5 else lines.pop(place)
    lines.insert(random.randrange(len(lines) + 1), line)
    return '\n'.join(lines)
