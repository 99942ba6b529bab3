"""When the verifier runs: the variable GDL_VERIFY."""

from __future__ import annotations

from dataclasses import replace
import os
from pathlib import Path
import subprocess
import sys

import pytest
from verified_game import GAME

from gdl_env.engine.circuit import verifier
from gdl_env.engine.circuit.compiled import compile_game, to_bytes
from gdl_env.engine.circuit.tape import tape as tape_module
from gdl_env.engine.circuit.verifier import VerifierError
from gdl_env.engine.grounding.budget import GroundingLimits
from gdl_env.errors import EngineError
from gdl_env.language.load import game_from_text


@pytest.mark.parametrize(('wish', 'expected'), [('', False), ('0', False), ('1', True)])
def test_the_switch(wish: str, expected: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('GDL_VERIFY', wish)
    assert verifier.is_verifying() is expected


def test_other_wishes_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('GDL_VERIFY', 'yes')
    with pytest.raises(EngineError, match="GDL_VERIFY must be 0 or 1, not 'yes'"):
        verifier.is_verifying()


def test_a_broken_scheduler_is_noticed_only_if_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tape_module, 'invert_row', lambda target, source: (9, target, 1, source))
    monkeypatch.setenv('GDL_VERIFY', '0')
    compile_game(game_from_text(GAME), GroundingLimits())
    monkeypatch.setenv('GDL_VERIFY', '1')
    with pytest.raises(VerifierError, match=r'tape: operation \d+ has the unknown kind 9'):
        compile_game(game_from_text(GAME), GroundingLimits())


def test_games_from_the_cache_are_verified(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv('GDL_CACHE', str(tmp_path))
    monkeypatch.setenv('GDL_VERIFY', '1')
    game = game_from_text(GAME)
    good = compile_game(game)
    broken = replace(good, look=replace(good.look, slots=3))
    monkeypatch.setattr('gdl_env.engine.circuit.compiled.read_entry', lambda _: to_bytes(broken))
    with pytest.raises(VerifierError, match='tape: operation 0 has slot'):
        compile_game(game)


def test_the_command_line_verifies(tmp_path: Path) -> None:
    rules = tmp_path / 'game.gdl'
    rules.write_text(GAME, 'utf-8')
    environment = {**os.environ, 'GDL_VERIFY': 'yes', 'GDL_CACHE': str(tmp_path / 'cache')}
    done = subprocess.run(
        [sys.executable, '-m', 'gdl_env.cli.main', 'random', str(rules), '--engine', 'circuit'],
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert "GDL_VERIFY must be 0 or 1, not 'yes'" in done.stderr
