"""A person who plays a whole game on the pages, from the first one to the result."""

from __future__ import annotations

from random import Random
import time

from hands import KeysOnly
from pages import Browser
from selenium.common.exceptions import (
    ElementClickInterceptedException,
    StaleElementReferenceException,
)
from selenium.webdriver.remote.webelement import WebElement

from gdl_env.gui.views import title_of
from gdl_env.language.load import open_game
from gdl_env.ros.launch.topology import NATURE

# What a click is to lead to is seen within this time [s].
_EFFECT = 10.0
_TRIES = 4

# All that a click could change at once, and whether there is something to choose.
_LOOK = """const table = document.querySelector('.gt');
const shown = (found) => [...found].filter((e) => e.getClientRects().length);
const choice = shown(document.querySelectorAll('.gt-choice')).length > 0;
const choices = document.querySelectorAll('.gt-list button, .gt-card.is-legal');
const moves = [...choices].map((b) => b.dataset.move || b.dataset.keys);
const banner = document.querySelector('.gt-banner');
const marks = [...document.querySelectorAll('.is-selected')].map((e) => e.dataset.square);
return {banner: banner ? banner.textContent : '', kind: banner ? banner.dataset.kind : '',
    count: moves.length, sign: [table && table.dataset.tick, choice, moves, marks].join()}"""

_SQUARES = '.gt-square.is-target, .gt-square.is-from, .gt-square.is-line'
# Where moves are chosen: on the board, from a hand, from the list.
_LIST = '.gt-list button'
_PLACES = (_SQUARES, '.gt-card.is-legal', _LIST)
_CHOICE = '.gt-choice:not([hidden]) button[data-move]'


# The moves of the list, all at once: none is replaced meanwhile.
_LISTED = """const buttons = [...document.querySelectorAll('.gt-list button')];
return buttons.map((button) => button.dataset.move || '')"""
# Moves that are directions on the board, whoever makes them.
_ARROWS = {
    **{'north': 'ARROW_UP', 'south': 'ARROW_DOWN', 'east': 'ARROW_RIGHT', 'west': 'ARROW_LEFT'},
    **{'up': 'ARROW_UP', 'down': 'ARROW_DOWN'},
}


def _is_direction(move: str) -> bool:
    words = move.strip('()').split()
    return len(words) <= 2 and words[-1:] != [] and words[-1] in _ARROWS


class Person:
    """Plays moves at random, and notices clicks that lead to nothing."""

    def __init__(self, browser: Browser, seed: int, *, uses_list: bool = True) -> None:
        """Use the list of moves now and then, or only where there is nothing else."""
        self.browser = browser
        self.moves = 0
        self._random = Random(seed)
        self._uses_list = uses_list

    def open_table(self, game: str) -> None:
        """Start a game on the first page: the first role is ours, the others play at random."""
        self.browser.open('/')
        fields = [f'input[aria-label="{r}"]' for r in open_game(game).roles if str(r) != NATURE]
        # On a busy machine a page is seen before it listens: then people choose once more.
        for _ in range(_TRIES):
            self.browser.choose('Game', title_of(game))
            deadline = time.monotonic() + _EFFECT
            while not all(map(self.browser.find, fields)) and time.monotonic() < deadline:
                time.sleep(0.1)
            if all(map(self.browser.find, fields)):
                break
        else:
            raise AssertionError(f'the page offers no players for {game}')
        self.browser.click('Start')
        self.browser.wait(lambda: self.browser.find('.gt-player.is-you'), 'a table')

    def play(self, seconds: float) -> str:
        """Play until the result is shown, and return it."""
        deadline = time.monotonic() + seconds
        while True:
            seen = self._look()
            if seen['kind'] == 'result' and 'goal' in seen['banner']:
                return str(seen['banner'])
            if time.monotonic() > deadline:
                raise AssertionError(f'not at an end after {self.moves} moves: {seen}')
            if seen['banner'] == 'your turn' and seen['count']:
                self._move()
                self.moves += 1
            else:
                time.sleep(0.02)

    def play_some(self, moves: int, seconds: float = 60.0) -> None:
        """Play some moves, and wait until it is our turn again, or the game is over."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            seen = self._look()
            is_turn = seen['banner'] == 'your turn' and seen['count']
            if seen['kind'] == 'result' or (is_turn and moves <= 0):
                return
            if is_turn:
                self._move()
                moves -= 1
            else:
                time.sleep(0.05)

    @property
    def kind(self) -> str:
        """Return what the sentence above the board tells of, such as a result."""
        return str(self._look()['kind'])

    def end_table(self) -> None:
        """Go back to the first page, and end the table."""
        self.browser.open('/')
        self.browser.wait(lambda: self.browser.find('.gt-tile'), 'the games')
        # On a busy machine what is above may still grow while the mouse moves.
        for _ in range(_TRIES):
            self.browser.click('End')
            deadline = time.monotonic() + _EFFECT
            while time.monotonic() < deadline:
                if not any('End' in words for words in self.browser.texts('button')):
                    return
                time.sleep(0.1)
        raise AssertionError('the table does not end')

    def _look(self) -> dict[str, object]:
        return dict(self.browser.driver.execute_script(_LOOK))

    def _move(self) -> None:
        if isinstance(self.browser.hand, KeysOnly) and self._press_arrow():
            return
        places = [place for place in _PLACES if self.browser.find(place)]
        if not places:
            return
        # What is on the board or in a hand is taken from there, and from the list now and then.
        is_direct = len(places) == 1 or not self._uses_list or self._random.random() < 0.7
        place = places[0] if is_direct else places[-1]
        if place == _LIST:
            self.browser.open_list()
        self._tap(place)
        if place == _SQUARES and self.browser.find('.gt-square.is-selected'):
            self._tap('.gt-square.is-target')
        if self.browser.find(_CHOICE):
            self._tap(_CHOICE)

    def _press_arrow(self) -> bool:
        """Press the arrow of a move that is a direction; tell whether there is one."""
        words = list(self.browser.driver.execute_script(_LISTED))
        keys = [_ARROWS[word.strip('()').split()[-1]] for word in words if _is_direction(word)]
        if not keys or len(keys) < len(words):
            return False
        before = self._look()['sign']
        self.browser.press(self._random.choice(keys))
        self._wait_for_effect(before, 'an arrow key')
        return True

    def _wait_for_effect(self, before: object, what: str) -> None:
        deadline = time.monotonic() + _EFFECT
        while self._look()['sign'] == before:
            assert time.monotonic() < deadline, f'{what} leads to nothing: {before}'
            time.sleep(0.01)

    def _tap(self, selector: str) -> None:
        """Click one of the elements there, and see that something has happened."""
        before = self._look()['sign']
        found = self.browser.find(selector)
        if not found:
            return
        self._reach(self._random.choice(found), selector)
        self._wait_for_effect(before, f'a click on {selector}')

    def _reach(self, element: WebElement, selector: str) -> None:
        deadline = time.monotonic() + _EFFECT
        while True:
            try:
                return self.browser.hand.tap(element)
            except StaleElementReferenceException:
                return None
            except ElementClickInterceptedException as error:
                if time.monotonic() > deadline:
                    raise AssertionError(f'{selector} cannot be clicked: {error.msg}') from error
                time.sleep(0.1)
