"""pgx on the CPU as a contestant: batches of games, `jit` and `vmap`, finished games restarted."""

from __future__ import annotations

from time import perf_counter, process_time
from typing import Any

from measure import Contestant, NotAvailableError, Run, Sample, repeat, to_sample
from rows import Row

# The best of these is measured.
_BATCHES = (64, 512, 4096)
# No larger batch is tried once a call takes longer than this, in seconds.
_SLOW_CALL = 2.0
_STEPS_A_CALL = 32
_TRIALS = 3
_MOST_SAMPLE_LANES = 512


class Pgx(Contestant):
    """pgx, compiled by XLA for the CPU."""

    def __init__(self, row: Row) -> None:
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
        self._key = jax.random.PRNGKey(1)
        self._carry: Any = None
        self._run: Any = None
        self._batch = 0

    def play(self, seconds: float) -> Run:
        if self._carry is None:
            self._find_batch()
        return repeat(self._call, seconds)

    def sample(self, seconds: float) -> Sample:
        run = self._make_sampler()
        games: list[tuple[int, float]] = []
        start = perf_counter()
        while not games or (perf_counter() - start < seconds and len(games) < 200_000):
            lengths, results = run(self._next_key())
            games += zip(lengths.tolist(), results.tolist(), strict=True)
        return to_sample(games)

    def facts(self) -> dict[str, object]:
        from importlib.metadata import version

        return {
            'version': f'pgx {version("pgx")}, jax {version("jax")}',
            'batch': self._batch,
        }

    def _next_key(self) -> Any:
        import jax

        self._key, key = jax.random.split(self._key)
        return key

    def _call(self) -> float:
        import jax

        self._carry = self._run(self._carry)
        jax.block_until_ready(self._carry)
        return float(self._batch * _STEPS_A_CALL)

    def _seconds_of_a_call(self) -> float:
        start = process_time()
        self._call()
        return process_time() - start

    def _find_batch(self) -> None:
        """Compile for batches of several sizes, and keep the fastest."""
        best = 0.0
        kept = None
        for batch in _BATCHES:
            self._prepare(batch)
            # The first call compiles.
            self._call()
            passed = min(self._seconds_of_a_call() for _ in range(_TRIALS))
            steps = float(batch * _STEPS_A_CALL)
            if steps / passed > best:
                best, kept = steps / passed, (self._run, self._carry, batch)
            if passed > _SLOW_CALL:
                break
        assert kept is not None
        self._run, self._carry, self._batch = kept

    def _prepare(self, batch: int) -> None:
        import jax
        from pgx.experimental.wrappers import auto_reset

        step = jax.vmap(auto_reset(self._env.step, self._env.init))
        self._batch = batch

        def advance(carry, _):  # type: ignore[no-untyped-def]
            state, key = carry
            key, choose, restart = jax.random.split(key, 3)
            action = _choose(state, choose)
            return (step(state, action, jax.random.split(restart, batch)), key), None

        def run(carry):  # type: ignore[no-untyped-def]
            return jax.lax.scan(advance, carry, None, length=_STEPS_A_CALL)[0]

        init = jax.jit(jax.vmap(self._env.init))
        self._carry = init(jax.random.split(self._next_key(), batch)), self._next_key()
        self._run = jax.jit(run)

    def _make_sampler(self) -> Any:
        import jax
        import jax.numpy as jnp

        step = jax.vmap(self._env.step)
        count = min(_MOST_SAMPLE_LANES, self._batch or _BATCHES[0])
        lanes = jnp.arange(count)

        def advance(carry):  # type: ignore[no-untyped-def]
            state, first, lengths, results, key = carry
            key, choose = jax.random.split(key)
            lengths += ~state.terminated
            after = step(state, _choose(state, choose))
            # A game that is over gets no rewards any more.
            results += jnp.where(state.terminated, 0.0, after.rewards[lanes, first])
            return after, first, lengths, results, key

        def run(key):  # type: ignore[no-untyped-def]
            key, start = jax.random.split(key)
            state = jax.vmap(self._env.init)(jax.random.split(start, count))
            zeros = jnp.zeros(count, jnp.int32)
            carry = state, state.current_player, zeros, jnp.zeros(count), key
            carry = jax.lax.while_loop(lambda c: ~c[0].terminated.all(), advance, carry)
            return carry[2], carry[3]

        return jax.jit(run)


def _choose(state: Any, key: Any) -> Any:
    import jax
    import jax.numpy as jnp

    logits = jnp.where(state.legal_action_mask, 0.0, -1e30)
    return jax.random.categorical(key, logits, axis=-1)
