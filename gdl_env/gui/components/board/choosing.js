// How a move is chosen: a square, two squares, a column, a card, an arrow. These are methods of the table.
import { escape } from "./escape.js";
import { putBeside } from "./pointing.js";

const isFrom = (move, square) => move.path.length === 2 && move.path[0].join() === square;
const isTo = (move, square) => move.path.length === 1 && move.path[0].join() === square;
const isLine = (move, square) => {
  const [row, column] = square.split(",").map(Number);
  return move.column === column || move.row === row;
};

export const choosing = {
  moves() {
    return this.state && this.state.canPlay ? this.state.scene.moves : [];
  },
  // Squares that can be clicked now, and what that would do.
  marks(number) {
    const marks = {};
    const add = (r, c, kind) => { marks[`${r},${c}`] = marks[`${r},${c}`] || kind; };
    const board = this.state.scene.boards[number];
    const from = this.selected && this.selected.board === number ? this.selected : null;
    if (from) marks[from.square] = "selected";
    for (const move of this.moves()) {
      if (move.board !== number) continue;
      if (move.column >= 0) board.rows.forEach((_, r) => add(r, move.column, "line"));
      else if (move.row >= 0) board.columns.forEach((_, c) => add(move.row, c, "line"));
      else if (move.path.length === 1) { if (!from) add(...move.path[0], "target"); }
      else if (from && move.path[0].join() === from.square) add(...move.path[1], "target");
      else if (!from) add(...move.path[0], "from");
    }
    return marks;
  },
  play(move) {
    if (!this.state || !this.state.canPlay) return;
    this.selected = this.planned = null;
    this.state.canPlay = false; // until the next state comes
    this.sent = { moves: this.sent.moves + 1, position: `${this.state.episode}.${this.state.tick}`, at: performance.now() };
    this.$el.classList.add("is-sent");
    this.$emit("played", { tick: this.state.tick, move });
    this.drawAll();
  },
  pick(number, square) {
    if (this.state.canPlan) return this.plan(number, square);
    const moves = this.moves().filter((m) => m.board === number);
    const lines = moves.filter((m) => isLine(m, square));
    if (lines.length) return this.settle(lines, number, square);
    const from = this.selected && this.selected.board === number ? this.selected.square : null;
    if (from) {
      const found = moves.filter((m) => isFrom(m, from) && m.path[1].join() === square);
      if (found.length) return this.settle(found, number, square);
    }
    const single = moves.filter((m) => isTo(m, square));
    const starts = moves.filter((m) => isFrom(m, square));
    if (single.length && !starts.length) return this.settle(single, number, square);
    const isTaken = (this.state.scene.boards[number].pieces[square] || []).length > 0;
    const isTried = from || isTaken || moves.some((m) => m.path.length === 1);
    if (!starts.length && this.state.canPlay && isTried) this.$emit("asked", { board: number, square, from: from || "" });
    this.selected = starts.length && from !== square ? { board: number, square } : null;
    this.drawBoards();
  },
  settle(moves, number = -1, square = "") {
    if (moves.length === 1) return this.play(moves[0].text);
    const { choice } = this.parts;
    const target = this.$el.querySelector(`[data-board="${number}"][data-square="${square}"] .gt-ground`);
    choice.classList.toggle("is-at-square", !!target);
    choice.innerHTML = moves.map((m) => `<button type="button" data-move="${escape(m.text)}">${escape(m.label)}</button>`).join("")
      + `<button type="button" class="gt-cancel">${escape(this.words.cancel)}</button>`;
    choice.hidden = false;
    putBeside(choice, target);
    choice.querySelector("button").focus();
  },
  closeChoice() { this.parts.choice.hidden = true; this.carried = null; },
  // Give up what was begun: a choice, a piece in the hand, a move ahead, arrows.
  cancel() {
    const isBusy = this.planned || this.selected || !this.parts.choice.hidden;
    this.closeChoice();
    if (this.planned) this.say(this.words.plan_dropped);
    this.selected = this.planned = null;
    if (!isBusy) this.drawn = [];
    this.drawBoards();
    this.drawBanner();
  },
  pickCard(card) {
    const keys = card.dataset.keys.split("|");
    this.settle(this.moves().filter((m) => keys.includes(m.card)));
  },
  // Where moves are directions, an arrow key or a swipe is a move.
  playArrow(arrow) {
    const found = arrow ? this.moves().filter((m) => m.arrow === arrow) : [];
    if (found.length) this.settle(found);
    return found.length > 0;
  },
  // ---- a move ahead of one's turn: played when it comes, if it is legal then
  // Remember what one's own moves are like: from where to where, or one square, or a line.
  learnWays() {
    for (const move of this.moves()) {
      if (move.arrow) this.ways.add("arrow");
      if (move.board < 0) continue;
      if (move.column >= 0 || move.row >= 0) this.ways.add("line");
      else if (move.path.length === 1) this.ways.add("to");
      else this.ways.add("from");
      const here = move.path.length === 2 ? this.state.scene.boards[move.board].pieces[move.path[0].join()] || [] : [];
      for (const piece of here.slice(-1)) this.own.add(`${piece.label}\n${piece.fill}`);
    }
  },
  isOwn(number, square) {
    const here = this.state.scene.boards[number].pieces[square] || [];
    return here.some((piece) => this.own.has(`${piece.label}\n${piece.fill}`) || piece.label.split(" ").includes(this.state.canPlan));
  },
  plan(number, square) {
    const from = this.selected && this.selected.board === number ? this.selected.square : "";
    const isOver = !!this.planned;
    this.planned = this.selected = null;
    const isMine = this.isOwn(number, square);
    const isFree = !(this.state.scene.boards[number].pieces[square] || []).length;
    if (from && from !== square && (!isMine || this.isDropping)) this.planned = { board: number, from, to: square };
    else if (isMine && from !== square && (this.ways.has("from") || !this.ways.size)) this.selected = { board: number, square };
    else if (!isOver && (this.ways.has("line") || (isFree && this.ways.has("to")))) this.planned = { board: number, from: "", to: square };
    if (this.planned) this.say(this.words.planned);
    else if (isOver) this.say(this.words.plan_dropped);
    this.drawBoards();
    this.drawBanner();
  },
  playPlan() {
    const { planned } = this;
    if (!planned || !this.state.canPlay) return;
    this.planned = null;
    const found = this.moves().filter((m) => m.board === planned.board && (planned.from
      ? isFrom(m, planned.from) && m.path[1].join() === planned.to
      : isTo(m, planned.to) || isLine(m, planned.to)));
    if (found.length) this.settle(found, planned.board, planned.to);
    else this.say(this.words.plan_illegal);
  },
};
