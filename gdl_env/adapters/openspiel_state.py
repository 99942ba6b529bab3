"""One history of a game, as OpenSpiel's states are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
import pyspiel

from gdl_env.adapters.openspiel_rules import Node, SpielRules
from gdl_env.engine.batch.contract import Rows
from gdl_env.engine.contract import State

if TYPE_CHECKING:
    from gdl_env.adapters.openspiel import SpielGame


class SpielState(pyspiel.State):  # type: ignore[misc]
    """A node of the game: of a player, of several at once, of chance, or the end."""

    def __init__(self, game: SpielGame) -> None:
        super().__init__(game)
        self._rules: SpielRules = game.rules
        self._unit = game.unit
        self._node: Node = self._rules.begin()
        # Moves of players that wait for chance, and what chance may make of them.
        self._outcomes: list[tuple[Rows, float]] = []
        self._chosen: Rows | None = None
        # Of each player: what it was shown last, and all it has seen and done.
        self._shown: list[str | None] = [None] * len(self._rules.players)
        self._known: list[str] = [''] * len(self._rules.players)
        self._go_on()

    # ---- what OpenSpiel asks for

    def current_player(self) -> int:
        """Return who is next, by number."""
        if self._node.is_terminal:
            return int(pyspiel.PlayerId.TERMINAL)
        if self._outcomes:
            return int(pyspiel.PlayerId.CHANCE)
        deciding = self._node.deciding
        if len(deciding) > 1:
            return int(pyspiel.PlayerId.SIMULTANEOUS)
        return self._rules.players.index(deciding[0])

    def _legal_actions(self, player: int) -> list[int]:
        if player < 0 or self._outcomes or self._node.is_terminal:
            return []
        return sorted(self._actions(player))

    def _actions(self, player: int) -> dict[int, int]:
        """Return the rows of legal moves by their actions."""
        role = self._rules.players[player]
        rows = self._node.legal[role] if role in self._node.deciding else []
        return {self._rules.action_of(row): row for row in rows}

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return what chance may do, and how likely each is."""
        return [(place, p) for place, (_, p) in enumerate(self._outcomes)]

    def _apply_action(self, action: int) -> None:
        if self._outcomes:
            self._step(self._outcomes[action][0])
            return
        actions = [-1] * len(self._rules.players)
        actions[self.current_player()] = action
        self._apply_actions(actions)

    def _apply_actions(self, actions: list[int]) -> None:
        legal = self._rules.forced(self._node)
        for player, role in enumerate(self._rules.players):
            if role in self._node.deciding:
                row = self._actions(player)[actions[player]]
                legal[role] = row
                move = self._rules.batch.legal_move(row)[1]
                self._known[player] += f'do {move}\n'
        self._play(legal)

    def _action_to_string(self, player: int, action: int) -> str:
        batch = self._rules.batch
        if player == pyspiel.PlayerId.CHANCE:
            if action >= len(self._outcomes):
                return f'outcome {action}'
            does = self._outcomes[action][0]
            done = [(role, row) for role, row in enumerate(does.tolist()) if row >= 0]
            return ' '.join(f'{batch.roles[r]} {batch.does_move(row)[1]}' for r, row in done)
        row = self._actions(player).get(action)
        return f'action {action}' if row is None else str(batch.legal_move(row)[1])

    def is_terminal(self) -> bool:
        """Tell whether the game is over."""
        return self._node.is_terminal

    def returns(self) -> list[float]:
        """Return what players get: 0 before the end."""
        if not self._node.is_terminal:
            return [0.0] * len(self._rules.players)
        return [(goal - 50.0) / self._unit for goal in self._rules.goals(self._node)]

    def information_state_string(self, player: int | None = None) -> str:
        """Return all that a player has seen and done."""
        return self.knowledge(self._player(player))

    def observation_string(self, player: int | None = None) -> str:
        """Return what a player sees now."""
        return self.view_text(self._player(player))

    def __str__(self) -> str:
        facts = sorted(map(str, self._rules.batch.to_state(self._node.state[0])))
        return ' '.join(facts) + (' (chance)' if self._outcomes else '')

    def place(self, state: State) -> None:
        """Put up a state of facts; what players saw before is forgotten."""
        self._node = self._rules.place(state)
        self._outcomes, self._chosen = [], None
        self._shown = [None] * len(self._rules.players)
        self._known = [''] * len(self._rules.players)
        self._go_on()

    # ---- what observers ask for

    def observe(self, player: int) -> NDArray[Any]:
        """Return what a player sees now as a vector."""
        return self._rules.observe(self._node, player)

    def view_text(self, player: int) -> str:
        """Return what a player sees now as text."""
        return ' '.join(sorted(map(str, self._rules.view(self._node, player))))

    def knowledge(self, player: int) -> str:
        """Return all that a player has seen and done."""
        return self._known[player]

    # ---- inside

    def _player(self, player: int | None) -> int:
        return self.current_player() if player is None else player

    def _go_on(self) -> None:
        """Play forced moves, up to a choice of players or of chance, or the end."""
        while not self._node.is_terminal and not self._node.deciding:
            outcomes = self._rules.list_outcomes(self._node, self._rules.forced(self._node))
            if len(outcomes) > 1:
                self._chosen, self._outcomes = self._rules.forced(self._node), outcomes
                return
            self._advance(self._rules.forced(self._node), outcomes[0][0])
        if self._node.deciding:
            self._show()

    def _play(self, legal: Rows) -> None:
        """Play moves of players; chance decides next where it has a part in them."""
        outcomes = self._rules.list_outcomes(self._node, legal)
        self._chosen = legal
        if len(outcomes) > 1:
            self._outcomes = outcomes
        else:
            self._step(outcomes[0][0])

    def _step(self, does: Rows) -> None:
        assert self._chosen is not None
        self._advance(self._chosen, does)
        self._outcomes, self._chosen = [], None
        self._go_on()

    def _advance(self, legal: Rows, does: Rows) -> None:
        self._node = self._rules.step(self._node, np.asarray(legal), does)

    def _show(self) -> None:
        """Show players what they see at a tick: those who decide, and who see something new."""
        for player, role in enumerate(self._rules.players):
            view = self.view_text(player)
            if role in self._node.deciding:
                legal = ' '.join(map(str, self._legal_actions(player)))
                self._known[player] += f'ask {view} | {legal}\n'
            elif view != self._shown[player]:
                self._known[player] += f'see {view}\n'
            self._shown[player] = view
