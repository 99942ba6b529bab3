"""Compiled loops over lanes: which end, who acts, which go on by themselves."""

from __future__ import annotations

from gdl_env.engine.compiling import compile_kernel

# How lanes go on: all have a decision, or are over; some have ended; some play on by themselves.
SETTLED, END, QUIET = 0, 1, 2


@compile_kernel(nogil=True)
def find_ends(terminal, has, is_open, ended, held, steps, limit, ending, idle):
    """Find lanes that are over by the rules, or to be broken off; return whether there are any.

    Those that ended in this tick before, or are held, stay as they are.
    """
    found = False
    for lane in range(terminal.shape[0]):
        stuck = not terminal[lane]
        for seat in range(has.shape[0]):
            stuck = stuck and not has[seat, lane]
        cut = stuck or (limit > 0 and steps[lane] >= limit and not terminal[lane])
        can_end = is_open[lane] and not ended[lane] and not held[lane]
        ending[0, lane] = terminal[lane] and can_end
        ending[1, lane] = cut and can_end
        found = found or ending[0, lane] or ending[1, lane]
        idle[lane] = terminal[lane] or cut or not is_open[lane]
    return found


@compile_kernel(nogil=True)
def act_together(has, many, idle, acts, decides):
    """Let everybody act who has a move; who has several decides."""
    for seat in range(has.shape[0]):
        for lane in range(has.shape[1]):
            acts[seat, lane] = has[seat, lane] and not idle[lane]
            if seat < decides.shape[0]:
                decides[seat, lane] = many[seat, lane] and not idle[lane]


@compile_kernel(nogil=True)
def settle_together(
    terminal, has, many, is_open, ended, held, steps, limit, ending, idle, acts, decides, quiet
):
    """Find how lanes go on where all act together: SETTLED, some END, or some play QUIETly."""
    if find_ends(terminal, has, is_open, ended, held, steps, limit, ending, idle):
        return END
    act_together(has, many, idle, acts, decides)
    return QUIET if find_quiet(idle, decides, quiet) else SETTLED


@compile_kernel(nogil=True)
def find_quiet(idle, decides, quiet):
    """Find lanes that go on by themselves; return whether there are any."""
    found = False
    for lane in range(idle.shape[0]):
        asks = False
        for player in range(decides.shape[0]):
            asks = asks or decides[player, lane]
        quiet[lane] = not idle[lane] and not asks
        found = found or quiet[lane]
    return found


@compile_kernel(nogil=True)
def count_steps(acting, steps, last):
    """Count a step in lanes where somebody acts, and note the first player who does."""
    total = 0
    players = acting.shape[0] - 1
    for lane in range(acting.shape[1]):
        acted = acting[players, lane]
        for player in range(players - 1, -1, -1):
            if acting[player, lane]:
                acted = True
                last[lane] = player
        if acted:
            steps[lane] += 1
            total += 1
    return total


@compile_kernel(nogil=True)
def begin_again(lanes, left, is_open, steps, last, fresh, again):
    """Find ended lanes that have episodes left, and begin them; the others are done."""
    for lane in range(lanes.shape[0]):
        again[lane] = lanes[lane] and left[lane] != 0
        if lanes[lane]:
            fresh[lane] = True
            is_open[lane] = is_open[lane] and again[lane]
        if again[lane]:
            if left[lane] > 0:
                left[lane] -= 1
            steps[lane] = 0
            last[lane] = -1
