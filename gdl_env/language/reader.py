"""A fast reader of single terms without places: facts and moves on pipes and in recordings.

The grammar's parser keeps places and mends errors; reading a state of a hundred facts with it
would take longer than computing the state.
"""

from __future__ import annotations

import re

from gdl_env.language.controls import find_controls
from gdl_env.language.game import Role
from gdl_env.language.integers import read_integer
from gdl_env.language.terms import Compound, Number, Symbol, Term, Variable

_TOKEN = re.compile(r'[()]|[^\s();]+')
_INTEGER = re.compile(r'0|-?[1-9]\d*')


def read_term(text: str) -> Term:
    """Read one term. Raises ValueError if the text is not exactly one."""
    if find_controls(text):
        raise ValueError(f'a control character: {text!r}')
    stack: list[list[Term]] = [[]]
    heads: list[str] = []
    is_head = False
    for token in _TOKEN.findall(text.lower()):
        if is_head and token in '()':
            raise ValueError(f'a list must begin with a name: {text!r}')
        if token == '(':
            stack.append([])
            is_head = True
        elif token == ')':
            if not heads:
                raise ValueError(f"a ')' closes nothing: {text!r}")
            args = stack.pop()
            name = heads.pop()
            stack[-1].append(Compound(name, tuple(args)) if args else Symbol(name))
        elif is_head:
            heads.append(token)
            is_head = False
        else:
            stack[-1].append(_atom(token))
    if heads or is_head or len(stack) != 1:
        raise ValueError(f"a '(' is never closed: {text!r}")
    if len(stack[0]) != 1:
        raise ValueError(f'expected one term, found {len(stack[0])}: {text!r}')
    return stack[0][0]


def read_role(text: str) -> Role:
    """Return the role of a name: a number where the name is one."""
    name = text.lower()
    return Number(read_integer(name)) if _INTEGER.fullmatch(name) else Symbol(name)


def _atom(token: str) -> Term:
    if _INTEGER.fullmatch(token):
        return Number(read_integer(token))
    return Variable(token[1:]) if token[0] == '?' else Symbol(token)
