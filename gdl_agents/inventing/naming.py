"""Names of invented games, after what they are made of."""

from __future__ import annotations

from gdl_agents.inventing.design import (
    Aim,
    Capture,
    Design,
    Effect,
    Gait,
    Heads,
    Links,
    Luck,
    Outline,
    Placing,
    Secret,
    Spot,
    Timing,
)

_NUMBERS = {3: 'threes', 4: 'fours', 5: 'fives'}
_AIMS = {
    Aim.LINE: '',
    Aim.NO_LINE: 'shunned_',
    Aim.BLOCK: 'squares',
    Aim.CONNECT: 'bridges',
    Aim.REACH: 'crossing',
    Aim.SUMMIT: 'summit',
    Aim.MOST: 'harvest',
    Aim.WIPE_OUT: 'hunt',
    Aim.FEW: 'raid',
    Aim.STUCK: 'siege',
    Aim.STUCK_FIRST: 'surrender',
}
_SPOTS = {Spot.FREE: '', Spot.DROP: 'falling', Spot.BESIDE: 'growing', Spot.APART: 'lonely'}
_EFFECTS = {
    Effect.NONE: '',
    Effect.TURN: 'turning',
    Effect.FLANK: 'flanking',
    Effect.PINCER: 'pincer',
}
_LUCK = {Luck.NONE: '', Luck.DIE: 'dice', Luck.MISS: 'lucky'}
_SECRETS = {Secret.OPEN: '', Secret.AGAIN: 'blind', Secret.LOST: 'stumbling'}
_GAITS = {Gait.STEP: 'marching', Gait.HOP: 'hopping', Gait.SLIDE: 'sliding'}
_CAPTURES = {
    Capture.NONE: 'peaceful',
    Capture.REPLACE: '',
    Capture.SLANT: 'slanting',
    Capture.LEAP: 'leaping',
}
_OUTLINES = {
    Outline.RECTANGLE: '',
    Outline.CORNERS: 'round',
    Outline.HOLE: 'hollow',
    Outline.CYLINDER: 'ring',
}


def name_design(design: Design) -> str:
    """Return a name of lower-case words; other designs may have the same."""
    noun = _AIMS[design.goal.aim]
    if design.goal.aim in {Aim.LINE, Aim.NO_LINE}:
        noun += _NUMBERS[design.goal.number]
    words = [_turns(design), *_play_words(design), _OUTLINES[design.board.outline], noun]
    # Boards of hexagons are drawn as such after their name.
    kept = ['hex'] if design.board.links is Links.HEX else []
    kept += [word for word in words if word]
    # Three words are a name, four a description: what is said first matters most.
    return '_'.join([*kept[:-1][:2], kept[-1]])


def _turns(design: Design) -> str:
    return {Timing.ROUND: '', Timing.COIN: 'fickle', Timing.TOGETHER: 'twin'}[design.turns]


def _play_words(design: Design) -> list[str]:
    play = design.play
    crowd = 'threefold' if len(design.roles) == 3 else ''
    if isinstance(play, Placing):
        return [crowd, _SECRETS[play.secret], _LUCK[play.luck], _EFFECTS[play.effect],
                _SPOTS[play.spot]]  # fmt: skip
    if play.leaves_rocks:
        return ['burning', _GAITS[play.gait]]
    slant = 'bishop' if play.heads is Heads.DIAGONAL else ''
    return ['greedy' if play.is_forced else '', _CAPTURES[play.capture], slant, _GAITS[play.gait]]
