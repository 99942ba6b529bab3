"""Who plays, whose turn it is, and how long."""

from __future__ import annotations

from gdl_agents.inventing.design import Design, Luck, Placing, Timing
from gdl_agents.inventing.rule_text import Section, facts, rule


def needs_nature(design: Design) -> bool:
    """Tell whether chance plays a role of its own."""
    die = isinstance(design.play, Placing) and design.play.luck is Luck.DIE
    return design.turns is Timing.COIN or die


def follows_relation(design: Design) -> str:
    """Return the relation that says whose turn is next."""
    return 'opponent' if len(design.roles) == 2 else 'follows'


def write_players(design: Design) -> Section:
    """Return roles, types, and who is against whom."""
    roles = design.roles
    names = (*roles, 'random') if needs_nature(design) else roles
    forms = [facts(*(f'(role {name})' for name in names))]
    types = [f'(type player {role})' for role in roles]
    if design.has_rocks:
        types += ['(type obstacle rock)', '(typecombine content player obstacle)']
    forms.append(facts(*types))
    pairs = [(one, other) for one in roles for other in roles if one != other]
    forms.append(facts(*(f'(opponent {one} {other})' for one, other in pairs)))
    if len(roles) > 2 and design.turns is Timing.ROUND:
        after = zip(roles, (*roles[1:], roles[0]), strict=True)
        forms.append(facts(*(f'(follows {one} {other})' for one, other in after)))
    return Section('', tuple(forms))


def write_turns(design: Design) -> Section:
    """Return whose turn it is next."""
    forms: list[str] = []
    if design.turns is Timing.COIN:
        forms += [
            '; A coin says who moves next.',
            rule('(legal random (favour player:?player))', '(type player ?player)'),
            rule('(next (control player:?player))', '(does random (favour ?player))'),
        ]
    elif design.turns is Timing.ROUND:
        forms += _round(design)
    if design.limit:
        forms.append(
            rule('(next (turn [0,limit]:?after))', '(true (turn ?before))', _is_played(design),
                 '(add ?before 1 ?after)')
        )  # fmt: skip
        if _is_played(design):
            forms.append(rule('(next (turn [0,limit]:?number))', '(true (turn ?number))',
                              '(not rolled)'))  # fmt: skip
    return Section('', tuple(forms))


def _is_played(design: Design) -> str:
    """Return the condition for steps in which a player moves, not the die."""
    die = isinstance(design.play, Placing) and design.play.luck is Luck.DIE
    return 'rolled' if die else ''


def _round(design: Design) -> list[str]:
    follows = f'({follows_relation(design)} ?player ?other)'
    given = rule('(next (control player:?other))', '(true (control ?player))',
                 _is_played(design), follows)  # fmt: skip
    if not _is_played(design):
        return [given]
    kept = rule('(next (control player:?player))', '(true (control ?player))', '(not rolled)')
    return [given, kept]


def tell_turns(design: Design) -> str:
    """Return in words who acts when."""
    first = design.roles[0]
    if design.turns is Timing.TOGETHER:
        return 'Both players choose at the same time.'
    if design.turns is Timing.COIN:
        return f'{first.capitalize()} begins; a coin is tossed for each turn after that.'
    return f'{first.capitalize()} begins, and the players take turns.'


def tell_limit(design: Design) -> str:
    """Return in words how long a game lasts at most."""
    return f'The game ends after {design.limit} turns at the latest.' if design.limit else ''


def write_start(design: Design) -> tuple[str, ...]:
    """Return what holds at the start, beside the board."""
    forms = [] if design.turns is Timing.TOGETHER else [f'(init (control {design.roles[0]}))']
    if design.limit:
        forms.append('(init (turn 0))')
    return (facts(*forms),) if forms else ()
