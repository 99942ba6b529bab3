"""What each keyword means, for people who hover over one. doc/language.md tells more."""

from __future__ import annotations

from gdl_env.language.keywords import KEYWORDS, RulePart

_MEANINGS = {
    'role': 'The role takes part. `random` is the role of chance.',
    'init': 'The fact holds at first.',
    'true': 'The fact holds now.',
    'next': 'The fact holds after the step. What is to stay must be said.',
    'legal': 'The role may make the move now.',
    'does': 'The role makes the move in this step.',
    'goal': 'What the state is worth to the role, 0 to 100. Of several values the largest counts.',
    'terminal': 'The game is over.',
    'sees': 'Hidden information: as a head, the role receives the percept after the step; inside'
    ' `init`, `next` and `true`, it alone sees the fact.',
    'base': 'The fact can ever occur. Accepted, never needed.',
    'input': 'The role can ever have the move. Accepted, never needed.',
    'distinct': 'The two are not the same term.',
    'not': 'The literal does not hold.',
    'or': 'One of the literals holds.',
    'and': 'All of the literals hold.',
    'random': 'An event of an experiment. Its probability is its weight divided by the sum of the'
    ' weights.',
    'add': 'a + b = sum. Any one of the three may be unknown.',
    'sub': 'a - b = difference. Any one of the three may be unknown.',
    'mult': 'a · b = product. Any one of the three may be unknown.',
    'div': 'a divided by b, rounded toward zero. Any one of the three may be unknown.',
    'mod': 'a modulo b; it has the sign of b. Any one of the three may be unknown.',
    'less': 'a < b, for two numbers that are known.',
    'greater': 'a > b, for two numbers that are known.',
    'count': 'n is the number of different ways in which the literals hold together. A variable'
    ' that also occurs outside must get its value there.',
    'type': 'As a fact, the value belongs to the type; as a condition, the variable runs over the'
    ' values of the type.',
    'typecombine': 'The type has the values of both parts.',
    'typemap': 'The type has the value, which stands for all numbers for which the rule holds.',
}
_OTHERS = {
    '<=': ('(<= head condition …)', 'The head holds when all conditions hold.'),
    'option': (
        '(option name value other …)',
        'What can be chosen about the game, as in `hex(size=11)`. As a condition, `(option name'
        ' value)` asks for the choice.',
    ),
}


def keyword_form(name: str) -> str:
    """Return how a keyword is written."""
    return KEYWORDS[name].form if name in KEYWORDS else _OTHERS[name][0]


def keyword_meaning(name: str) -> str:
    """Return what a keyword means, and where it may stand."""
    if name not in KEYWORDS:
        return _OTHERS[name][1]
    places = KEYWORDS[name].places
    words = {RulePart.HEAD: 'as a head or fact', RulePart.BODY: 'as a condition'}
    where = ' and '.join(text for place, text in words.items() if place in places)
    return f'{_MEANINGS[name]}\n\nStands {where}.'
