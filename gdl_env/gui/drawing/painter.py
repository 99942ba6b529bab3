"""Turns what one viewer receives into a picture: boards, cards, tables, and what is hidden."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from gdl_env.gui.drawing import board_style
from gdl_env.gui.drawing.arrows import arrow_of, beside, degrees_of
from gdl_env.gui.drawing.card_table import CardTable
from gdl_env.gui.drawing.cards import to_card
from gdl_env.gui.drawing.domain import GameDomain, bare, read, seers_of
from gdl_env.gui.drawing.layout import BoardPlan, RelationPlan, find_boards
from gdl_env.gui.drawing.owned_boards import find_owned_board, is_owned, order_owners
from gdl_env.gui.drawing.paths import list_places, picture_move
from gdl_env.gui.drawing.pieces import PieceBook
from gdl_env.gui.drawing.scene import BoardPicture, FactTable, MovePicture, Piece, Scene, Square
from gdl_env.gui.drawing.seats import CardSeats
from gdl_env.gui.drawing.special_boards import make_special_boards
from gdl_env.gui.drawing.view_file import SIDES, ViewFile
from gdl_env.language.game import Game
from gdl_env.language.terms import Term, args_of, name_of, sort_key

# More rows of one relation are not read by anybody.
_MOST_ROWS = 200


class Painter:
    """Draws one game; learns the size of its boards from its tables, its rules and what it sees.

    `facts` and `moves` are all that can ever be, as far as the match tells; both may be empty.
    """

    def __init__(
        self,
        name: str,
        roles: Sequence[str],
        game: Game | None = None,
        facts: Iterable[str] = (),
        moves: Iterable[str] = (),
        view: ViewFile | None = None,
    ) -> None:
        self.name = name
        self.roles = tuple(roles)
        self.view = view or ViewFile()
        self._domain = GameDomain()
        if game is not None:
            self._domain.add_game(game)
        self._domain.add(map(read, facts))
        self._moves: dict[tuple[str, int], list[set[str]]] = {}
        self._add_moves(map(read, moves))
        self._initial = [
            bare(args_of(rule.head)[0])
            for rule in (game.rules if game is not None else ())
            if name_of(rule.head) == 'init'
        ]
        self._version = -1
        self._boards: list[BoardPlan] = []
        self._books: list[PieceBook] = []
        self._styles: list[str] = []
        # Of checkered boards, as far as pieces have shown it.
        self._dark: dict[BoardPlan, int] = {}
        self._cards = CardTable(self._domain, self.roles)
        self._seats = CardSeats(self.view, self.roles, self._domain)
        self._special = make_special_boards(self.view, self.roles)
        # What was found while the newest picture was made.
        self._headings: dict[str, str] = {}
        self._standing: dict[tuple[str, str], set[Square]] = {}
        # Contents that stay under others, by square, as far as they were seen.
        self._ground: dict[str, Piece] = {}

    def paint(
        self,
        facts: Iterable[str],
        moves: Iterable[str] = (),
        viewer: str = '',
        preference: Mapping[str, float] | None = None,
        last: Mapping[str, str] | None = None,
    ) -> Scene:
        """Return what a viewer sees: a role, or '' for one that has none.

        `preference` says how much an agent thinks of moves, `last` what was played.
        Raises ValueError for what is no GDL.
        """
        seers: dict[Term, list[str]] = {}
        for fact in map(read, set(facts)):
            seers.setdefault(bare(fact), []).extend(seers_of(fact))
        terms = sorted(seers, key=sort_key)
        legal = [read(move) for move in moves]
        self._domain.add(terms)
        self._add_moves(legal)
        self._learn()
        rest = self._take_headings(terms)
        special, rest = self._paint_special(rest, viewer)
        dice, rest = self._take_dice(rest, last or {})
        table, rest = self._seats.take(rest, viewer, seers)
        boards, rest = self._paint_boards(rest, viewer, seers)
        cards, rest = ([], rest) if table else self._cards.take(rest, viewer)
        tables, notes = self._tabulate(rest)
        pictures = tuple(self._name(move, self._place(move, viewer, viewer)) for move in legal)
        return Scene(
            boards=(*boards, *special),
            cards=tuple(cards),
            table=table,
            dice=tuple(dice),
            tables=tuple(tables),
            moves=pictures,
            notes=tuple(notes),
            hidden=() if table else tuple(self._hidden(viewer)),
            heat=self._heat(preference) if preference else {},
        )

    def pictures_of(self, moves: Mapping[str, str], viewer: str = '') -> list[MovePicture]:
        """Return the moves of roles with their places. Raises ValueError for what is no GDL."""
        self._learn()
        return [self._place(read(move), role, viewer) for role, move in moves.items()]

    def squares_of(self, moves: Mapping[str, str], viewer: str = '') -> list[str]:
        """Return the squares that the moves of roles name, as 'board:row,column'."""
        pictures = self.pictures_of(moves, viewer)
        return [f'{p.board}:{row},{column}' for p in pictures for row, column in p.path]

    def picture_of(self, move: str, role: str = '') -> MovePicture:
        """Return a move of a role with its place. Raises ValueError for what is no GDL."""
        self._learn()
        return self._place(read(move), role)

    def name_move(self, move: str, role: str = '') -> str:
        """Return a move in the words of the game: `e2 → e4` unless the view file has its own."""
        return self._name(read(move), self.picture_of(move, role)).label

    def _name(self, move: Term, picture: MovePicture) -> MovePicture:
        """Return a picture of a move whose label names its squares as people do."""
        told = self.view.moves.get(name_of(move))
        is_told = told is not None and bool(told.label)
        if not is_told and name_of(move) == 'play' and (card := to_card([picture.card], ())):
            # What else is done with cards needs its verb.
            return replace(picture, label=card.label)
        if is_told or not picture.path or picture.board >= len(self._boards):
            return picture
        board = self._boards[picture.board]
        names = [(board.column_names[column], board.rows[row]) for row, column in picture.path]
        if len(names) == 1 and not names[0][0].isalpha():
            # Two numbers alone would not say which of them is the row.
            return picture
        words = [f'{a}{b}' if a.isalpha() else f'{a},{b}' for a, b in names]
        return replace(picture, label=' → '.join(words))

    def name_new(self, before: Collection[str], after: Collection[str]) -> list[tuple[str, str]]:
        """Return what roles were seen to do between two positions: cards and words."""
        return self._seats.name_new(before, after)

    def known_pieces(self) -> list[Piece]:
        """Return what can be on boards of squares, as far as it is known."""
        self._learn()
        return [piece for book in self._books for piece in book.pieces()]

    def describe_moves(self, moves: Mapping[str, str]) -> str:
        """Return what roles have played, in words."""
        parts = [(role, self.name_move(move, role)) for role, move in moves.items()]
        return ', '.join(f'{self.view.word(role)}: {label}' for role, label in parts)

    # ---- boards

    def _learn(self) -> None:
        """Find the boards again if something new was learned."""
        if self._version == self._domain.version:
            return
        self._version = self._domain.version
        self._boards = find_boards(self._domain, self.view)
        contents = [self._contents(board) for board in self._boards]
        self._books = [PieceBook(found, self.roles, self.view.pieces) for found in contents]
        self._styles = [
            self.view.style
            or board_style.guess(self.name, board, book, self._initial, self._moves)
            for board, book in zip(self._boards, self._books, strict=True)
        ]

    def _contents(self, board: BoardPlan) -> set[str]:
        """Return everything that can be on a square, as far as it is known."""
        found = set()
        for plan in board.relations:
            relation = self._domain.relation(plan.name, plan.arity)
            used = plan.where.places | {plan.board_arg}
            rest = [values for i, values in enumerate(relation.values) if i not in used]
            if len(rest) == 1:
                found |= {str(value) for value in rest[0]}
            elif len(rest) == 2:
                found |= {f'{one} {other}' for one in rest[0] for other in rest[1]}
            elif not rest:
                found.add(plan.name)
        return found

    def _paint_special(
        self, terms: list[Term], viewer: str
    ) -> tuple[list[BoardPicture], list[Term]]:
        names = {name for board in self._special for name in board.names}
        pictures = [
            board.paint([term for term in terms if name_of(term) in board.names], viewer)
            for board in self._special
        ]
        return pictures, [term for term in terms if name_of(term) not in names]

    def _take_dice(
        self, terms: list[Term], last: Mapping[str, str]
    ) -> tuple[list[int], list[Term]]:
        """Return the numbers that dice show: in facts, or else in the moves before."""
        shown = self.view.shown('dice')
        rest, dice = [], []
        for term in terms if shown else ():
            if (show := shown.get(name_of(term))) is not None:
                args = args_of(term)
                dice += [show.number(args, 'value', 0)] * show.number(args, 'count')
        if not dice:
            for term in map(read, last.values() if shown else ()):
                if (show := shown.get(name_of(term))) is not None:
                    dice.append(show.number(args_of(term), 'value', 0))
        rest = [term for term in terms if name_of(term) not in shown]
        return [number for number in dice if number > 0], rest

    def _take_headings(self, terms: list[Term]) -> list[Term]:
        """Note where those on the board look, which turns their pieces and moves."""
        shown = self.view.shown('heading')
        found = [(args_of(term), shown[name_of(term)]) for term in terms if name_of(term) in shown]
        self._headings = {show.word(a, 'owner'): show.word(a, 'value') for a, show in found}
        return [term for term in terms if name_of(term) not in shown]

    def _paint_boards(
        self, terms: list[Term], viewer: str, seers: Mapping[Term, Sequence[str]]
    ) -> tuple[list[BoardPicture], list[Term]]:
        by_relation: dict[tuple[str, int], list[Term]] = {}
        self._standing = {}
        for term in terms:
            by_relation.setdefault((name_of(term), len(args_of(term))), []).append(term)
        pictures = []
        taken: set[Term] = set()
        for board, book, style in zip(self._boards, self._books, self._styles, strict=True):
            has_owners = is_owned(board, self._domain, self.roles)
            owners = order_owners(self.roles, viewer) if has_owners else []
            layers: dict[str, dict[str, list[Piece]]] = {owner: {} for owner in owners}
            for plan in board.relations:
                for term in by_relation.get((plan.name, plan.arity), ()):
                    # What only its owner sees is on the owner's board.
                    owner = (seers.get(term) or [viewer])[0] if has_owners else ''
                    if self._put(board, plan, book, term, layers, owner):
                        taken.add(term)
            if not layers and not any(p.board_arg < 0 for p in board.relations):
                continue
            for label in owners or sorted(layers) or ['']:
                pictures.append(self._picture(board, style, label, layers.get(label, {})))
        rest = [term for term in terms if term not in taken]
        return pictures, rest

    def _put(
        self,
        board: BoardPlan,
        plan: RelationPlan,
        book: PieceBook,
        term: Term,
        layers: dict[str, dict[str, list[Piece]]],
        owner: str,
    ) -> bool:
        """Put a fact on its square; tell whether it has one."""
        args = args_of(term)
        both = plan.where.read(args)
        square = board.square(*both) if both else None
        if square is None:
            return False
        layer = str(args[plan.board_arg]) if plan.board_arg >= 0 else owner
        content = plan.content(args)
        # A view file may tell the red bike from its trail.
        both_names = f'{plan.name} {content}'
        piece = book.piece(both_names if both_names in self.view.pieces else content)
        squares = layers.setdefault(layer, {})
        key = f'{square[0]},{square[1]}'
        if piece is not None and content in self._headings and piece.kind == 'bike':
            piece = replace(piece, turn=degrees_of(self._headings[content]))
        if piece is not None and content in self.view.ground:
            self._ground[key] = piece
        if piece is not None:
            squares.setdefault(key, []).append(piece)
            if content in self.roles:
                self._standing.setdefault((content, plan.name), set()).add(square)
        return True

    def _picture(
        self, board: BoardPlan, style: str, label: str, squares: dict[str, list[Piece]]
    ) -> BoardPicture:
        main = board.relations[0]
        told = self.view.relation(main.name).label
        if '{}' in told:
            label = told.replace('{}', self.view.word(label))
        if style == 'checkered' and board not in self._dark:
            taken = [tuple(map(int, place.split(','))) for place in squares]
            dark = board_style.find_dark([(row, column) for row, column in taken])
            if dark >= 0:
                self._dark[board] = dark
        for place, piece in self._ground.items():
            if piece not in squares.get(place, ()):
                squares.setdefault(place, []).append(piece)
        return BoardPicture(
            label or told or main.name.replace('_', ' '),
            style,
            board.column_names,
            board.rows,
            {place: tuple(pieces) for place, pieces in squares.items()},
            is_hidden=all(plan.is_hidden for plan in board.relations),
            is_turned=self._dark.get(board, 1) == 0,
            light=self.view.colours.get('light', ''),
            dark=self.view.colours.get('dark', ''),
            line=self.view.colours.get('line', ''),
            sides={side: self.view.colours[side] for side in SIDES if side in self.view.colours},
        )

    # ---- what is not on boards

    def _tabulate(self, terms: list[Term]) -> tuple[list[FactTable], list[str]]:
        """Return tables of relations with several arguments or facts, and notes of the others."""
        groups: dict[str, list[Term]] = {}
        for term in terms:
            if not self.view.relation(name_of(term)).hide:
                groups.setdefault(name_of(term) or str(term), []).append(term)
        tables, notes = [], []
        for name, found in groups.items():
            title = self.view.relation(name).label or name.replace('_', ' ')
            if len(found) == 1 and len(args_of(found[0])) <= 1:
                words = [title, *(str(arg) for arg in args_of(found[0]))]
                notes.append(' '.join(words))
                continue
            rows = tuple(tuple(map(str, args_of(term))) for term in found[:_MOST_ROWS])
            if len(found) > _MOST_ROWS:
                rows += ((f'… and {len(found) - _MOST_ROWS} more',),)
            tables.append(FactTable(title, rows))
        return tables, notes

    def _hidden(self, viewer: str) -> Iterable[str]:
        """Say what others may see and this viewer does not."""
        others = [role for role in self.roles if role != viewer]
        names = sorted(
            relation.name.replace('_', ' ')
            for relation in self._domain.relations.values()
            if relation.is_hidden and any(map(relation.may_be_seen_by, others))
        )
        if names and others:
            yield f'hidden: {", ".join(names)} of {", ".join(others)}'

    # ---- moves

    def _add_moves(self, moves: Iterable[Term]) -> None:
        for move in moves:
            args = args_of(move)
            known = self._moves.setdefault((name_of(move), len(args)), [set() for _ in args])
            for values, arg in zip(known, args, strict=True):
                values.add(str(arg))

    def _place(self, move: Term, role: str = '', viewer: str = '') -> MovePicture:
        told = self.view.moves.get(name_of(move) or str(move))
        picture = picture_move(move, self._boards, self._moves, told, role, self.view.words)
        if told is not None and told.card:
            words = [str(arg) for number, arg in enumerate(args_of(move)) if number in told.card]
            return MovePicture(picture.text, picture.label, card=' '.join(words))
        if told is not None and told.board and picture.board >= 0:
            number = find_owned_board(told.board, role, self.roles, viewer)
            return replace(picture, board=number)
        for number, special in enumerate(self._special, start=len(self._boards)):
            if found := special.place(move, role, viewer, number):
                return replace(found, label=picture.label)
        if picture.board < 0 and (card := self._cards.card_of(move)):
            return MovePicture(picture.text, picture.label, card=card)
        if picture.board < 0 and (arrow := arrow_of(move, self._headings.get(role, ''))):
            path = self._beside(role, arrow) if role == viewer else ()
            return replace(picture, arrow=arrow, board=0 if path else -1, path=path)
        return replace(picture, ask=told.ask) if told and told.ask else picture

    def _beside(self, role: str, arrow: str) -> tuple[Square, ...]:
        """Return the square that a step of a role leads to, if it stands at one place."""
        found = [s for (who, _), s in self._standing.items() if who == role and len(s) == 1]
        if not found or not self._boards:
            return ()
        size = len(self._boards[0].rows), len(self._boards[0].columns)
        return beside(next(iter(found[0])), arrow, size)

    def _heat(self, preference: Mapping[str, float]) -> dict[str, float]:
        """Return how warm squares are: the best move that leads there counts."""
        if not preference:
            return {}
        low, high = min(preference.values()), max(preference.values())
        span = high - low
        heat: dict[str, float] = {}
        for text, value in preference.items():
            picture = self._place(read(text))
            if picture.board >= len(self._boards):
                continue
            share = (value - low) / span if span > 0 else 1.0
            for place in list_places(picture, self._boards):
                heat[place] = max(heat.get(place, 0.0), round(share, 3))
        return heat
