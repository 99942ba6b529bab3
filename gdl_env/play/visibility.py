"""Which facts a role may see. The only place that decides it: hidden information depends on this.

- Complete information: every role sees every fact.
- Hidden state: a role sees the facts that are not `(sees …)`, and its own `(sees role …)`.
- Percepts (GDL-II): no role sees any fact; roles receive percepts instead.

A spectator is a role that does not exist: it sees what no role is denied.
"""

from __future__ import annotations

from gdl_env.language.game import Game, Information
from gdl_env.language.terms import Symbol, Term, args_of, name_of

SEES = 'sees'
# No role has this name: `(sees role fact)` is never addressed to a spectator.
SPECTATOR = Symbol('')


def is_visible(game: Game, fact: Term, role: Term) -> bool:
    """Tell whether a role, or SPECTATOR, may see a fact of the state."""
    if game.information is Information.COMPLETE:
        return True
    if game.information is Information.PERCEPTS:
        return False
    return name_of(fact) != SEES or args_of(fact)[0] == role


def visible_facts(game: Game, state: frozenset[Term], role: Term) -> frozenset[Term]:
    """Return the facts of a state that a role, or SPECTATOR, may see."""
    if game.information is Information.COMPLETE:
        return state
    return frozenset(fact for fact in state if is_visible(game, fact, role))
