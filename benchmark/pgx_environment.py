"""pgx as an environment: all that a learner receives in every step, with a random agent."""

from __future__ import annotations

from collections.abc import Callable
from time import process_time
from typing import Any

from measure import Contestant, NotAvailableError, Run, Sample, repeat
from rows import Row

# Steps in one call: each by itself, or many in one compiled loop. The fastest is measured.
_STEPS_A_CALL = 32
# A loop of steps is not tried where one step takes longer than this, in seconds.
_SLOW_STEP = 0.1
_TRIALS = 3


class PgxEnvironment(Contestant):
    """Batches of games by `jit` and `vmap`, finished games restarted.

    Observations, masks, rewards and ends are read in every step: nothing of them can be left out
    by the compiler.
    """

    def __init__(self, row: Row, lanes: int) -> None:
        super().__init__(row)
        if not row.pgx:
            raise NotAvailableError('pgx has no such game')
        try:
            import jax
            import pgx
        except ImportError:
            raise NotAvailableError('pgx is not installed') from None
        jax.config.update('jax_platforms', 'cpu')
        self._env = pgx.make(row.pgx)
        self._lanes = lanes
        self._steps = 0
        self._agent = ''
        self._own_agent_rate = 0.0

    def play(self, seconds: float) -> Run:
        if not self._steps:
            self._find_fastest()
        return repeat(self._call, seconds)

    def sample(self, seconds: float) -> Sample:
        raise NotAvailableError('engines.py compares random games')

    def facts(self) -> dict[str, object]:
        from importlib.metadata import version

        state = self._carry[0]
        return {
            'version': f'pgx {version("pgx")}, jax {version("jax")}',
            'steps_a_call': self._steps,
            'agent': self._agent,
            'own_agent_rate': self._own_agent_rate,
            'observation': f'{state.observation.dtype}{list(state.observation.shape[1:])}',
        }

    def _find_fastest(self) -> None:
        """Compile with both random agents, each by single steps and, unless slow, in a loop."""
        ways = []
        for name, pick in _AGENTS.items():
            ways.append(self._prepare(name, pick, 1))
            if ways[-1][0] < _SLOW_STEP:
                ways.append(self._prepare(name, pick, _STEPS_A_CALL))
        own = min(seconds for seconds, _, name, _ in ways if name == _OWN_AGENT)
        self._own_agent_rate = self._lanes / own
        _, self._run, self._agent, self._steps = min(ways, key=lambda way: way[0])

    def _prepare(
        self, name: str, pick: Callable[[Any, Any], Any], steps: int
    ) -> tuple[float, Any, str, int]:
        """Compile a way to play; return it after the seconds of a step."""
        import jax
        import jax.numpy as jnp
        from pgx.experimental.wrappers import auto_reset

        step = jax.vmap(auto_reset(self._env.step, self._env.init))
        lanes = self._lanes

        def advance(carry: Any, _: object) -> tuple[Any, None]:
            state, key, seen = carry
            key, choose, restart = jax.random.split(key, 3)
            action = pick(state.legal_action_mask, choose)
            state = step(state, action, jax.random.split(restart, lanes))
            if steps > 1:
                # What comes out of a single step cannot be left out.
                delivered = state.observation, state.legal_action_mask, state.rewards
                read = [part.sum(dtype=jnp.float32) for part in (*delivered, state.terminated)]
                seen += jnp.stack(read)
            return (state, key, seen), None

        def run(carry):  # type: ignore[no-untyped-def]
            if steps == 1:
                return advance(carry, None)[0]
            return jax.lax.scan(advance, carry, None, length=steps)[0]

        self._run, self._agent, self._steps = jax.jit(run), name, steps
        key = jax.random.PRNGKey(1)
        state = jax.jit(jax.vmap(self._env.init))(jax.random.split(key, lanes))
        self._carry = state, key, jnp.zeros(4, jnp.float32)
        # The first call compiles.
        self._call()
        passed = min(self._seconds_of_a_call() for _ in range(_TRIALS))
        return passed / steps, self._run, name, steps

    def _call(self) -> float:
        import jax

        self._carry = self._run(self._carry)
        jax.block_until_ready(self._carry)
        return float(self._lanes * self._steps)

    def _seconds_of_a_call(self) -> float:
        start = process_time()
        self._call()
        return process_time() - start


def _draw_scores(mask, key):  # type: ignore[no-untyped-def]
    """Pick as pgx does: a random score for each action, and the highest that is legal."""
    import jax
    import jax.numpy as jnp

    return jax.random.categorical(key, jnp.where(mask, 0.0, -1e30), axis=-1)


def _draw_ranks(mask, key):  # type: ignore[no-untyped-def]
    """Pick with one random number for each lane: the rank of the action among the legal ones."""
    import jax
    import jax.numpy as jnp

    count = mask.cumsum(axis=-1, dtype=jnp.int32)
    chosen = jax.random.uniform(key, mask.shape[:1]) * count[:, -1]
    rank = jnp.minimum(chosen.astype(jnp.int32), count[:, -1] - 1)
    return (count > rank[:, None]).argmax(axis=-1)


# That of pgx comes first.
_OWN_AGENT = 'scores'
_AGENTS = {_OWN_AGENT: _draw_scores, 'ranks': _draw_ranks}
