"""A counter whose bound engines have to find: in a range, its rule, `legal` or an end."""

from __future__ import annotations

from random import Random

from gdl_env.engine.fuzzing.rules import RuleText
from gdl_env.engine.fuzzing.vocabulary import Relation, RelationUse, Sort

TALLY = Relation('tally', (Sort.NUMBER,), RelationUse.STATE)


def draw_tally(random: Random, *, is_typed: bool, is_alone: bool) -> list[RuleText]:
    """Return rules for a counter that moves change by 1 to 3, and for those moves.

    Its range may be too small: then the circuit engine must say so. It may have no bound at all.
    A bound in `legal` is one only where one role moves at a time (`is_alone`).
    """
    limit = random.randint(2, 7)
    kind = random.choice(('rule', 'legal' if is_alone else 'end', 'end', 'modulo'))
    if random.random() < 0.01:
        # Grounding ends only at its limits: these games take long.
        kind = 'none'
    number = f'[0,{limit + random.choice((-1, 2, 3, 20))}]:?m' if is_typed else '?m'
    factor = '[1,3]:?k' if is_typed else '?k'
    legal = ['(bump_by ?k)', '(role ?r)']
    change = ['(true (tally ?n))', '(does ?r (bump ?k))', '(add ?n ?k ?m)']
    if random.random() < 0.3:
        change[1:] = ['(does ?r (bump ?k))', '(sub ?n ?k ?m)', '(greater ?m -1)']
    rules = [RuleText(f'(bump_by {k})') for k in random.sample((1, 2, 3), random.randint(1, 3))]
    if random.random() < 0.1:
        # Outside the range of the move, where the game has types.
        rules.append(RuleText('(bump_by 4)'))
    kept = '(not bumped)'
    if kind == 'legal' and random.random() < 0.5:
        # By one only: no state has two values, and the bound of the move is that of the counter.
        change[1:] = ['(does ?r (bump ?k))', '(add ?n 1 ?m)']
    elif kind == 'end' and random.random() < 0.3:
        # It grows while no such move is made, whatever `legal` says of that move.
        change[1:], kept = ['(not bumped)', '(add ?n 1 ?m)'], 'bumped'
        legal += ['(true (tally ?n))', f'(less ?n {random.randint(1, limit)})']
    if kind == 'rule':
        change.append(random.choice((f'(less ?m {limit})', f'(not (greater ?n {limit}))')))
    elif kind == 'legal':
        legal += ['(true (tally ?n))', f'(less ?n {limit})']
    elif kind == 'end':
        end = random.choice((f'(greater ?n {limit})', f'(not (less ?n {limit}))'))
        rules.append(RuleText('terminal', ('(true (tally ?n))', end)))
    elif kind == 'modulo':
        change[-1:] = [*change[-1:], f'(mod ?m {limit} ?w)']
        number = number.replace('?m', '?w')
    start = random.choice((0, 0, 1, limit))
    stays = '?n' if not is_typed else f'[0,{limit + 20}]:?n'
    return [
        *rules,
        RuleText(f'(init (tally {start}))'),
        RuleText(f'(legal ?r (bump {factor}))', tuple(legal)),
        RuleText(f'(next (tally {number}))', tuple(change)),
        RuleText(f'(next (tally {stays}))', ('(true (tally ?n))', kept)),
        RuleText('bumped', ('(does ?r (bump ?k))',)),
    ]
