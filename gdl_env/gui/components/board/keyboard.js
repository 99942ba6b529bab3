// Keys: a cursor on the board, a walk through the list of moves, steps through the game. Methods of the table.
const ARROWS = { ArrowUp: "up", ArrowDown: "down", ArrowLeft: "left", ArrowRight: "right" };
const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

export const keyboard = {
  onGlobalKey(event) {
    const near = (selector) => event.target.closest && event.target.closest(selector);
    if (near("input,textarea,select,[contenteditable=true]")) return;
    if (this.playArrow(ARROWS[event.key])) return event.preventDefault();
    // Who came to the board by keys moves its cursor with arrows; all others go through the game.
    const isOnBoard = near("svg[data-board]") && event.target.matches(":focus-visible");
    // Where moves are arrows, none that is made too early or cannot be made leads away from the game.
    const isSteered = this.ways.has("arrow") && this.history.current === null && event.key in ARROWS;
    const isPlain = !event.altKey && !event.ctrlKey && !event.metaKey;
    const step = { ArrowLeft: -1, ArrowRight: 1, Home: -1e9, End: 1e9 }[event.key];
    if (step && isPlain && !isOnBoard && !isSteered && !near(".gt-list, .gt-choice, [role=slider]")) { event.preventDefault(); this.$emit("stepped", step); }
    if (event.key === "f" && isPlain) this.flip();
    if (event.key === "a" && isPlain) this.switchArrows();
    if (event.key === "/") { event.preventDefault(); this.openList(true); this.input.focus(); }
    if (event.key === "Escape") this.cancel();
  },
  onKey(event) {
    const svg = event.target.closest("svg[data-board]");
    // Where moves are arrows, the page as a whole listens to them.
    if (!svg || !this.state || !svg.matches(":focus-visible") || this.moves().some((m) => m.arrow)) return;
    const number = Number(svg.dataset.board);
    const board = this.state.scene.boards[number];
    if (!(event.key in STEPS) && event.key !== "Enter" && event.key !== " ") return;
    if (!this.cursor || this.cursor.board !== number) {
      this.cursor = { board: number, row: Math.floor(board.rows.length / 2), column: Math.floor(board.columns.length / 2) };
      if (!(event.key in STEPS)) return this.drawBoards();
    } else if (event.key in STEPS) {
      const [down, right] = STEPS[event.key].map((n) => (this.isReversed(board) ? -n : n));
      this.cursor.row = Math.min(board.rows.length - 1, Math.max(0, this.cursor.row + down));
      this.cursor.column = Math.min(board.columns.length - 1, Math.max(0, this.cursor.column + right));
    } else this.pick(number, `${this.cursor.row},${this.cursor.column}`);
    event.preventDefault();
    this.drawBoards();
    const square = svg.querySelector(`[data-square="${this.cursor.row},${this.cursor.column}"]`);
    if (event.key in STEPS && square) this.say(square.getAttribute("aria-label") || square.dataset.coordinates);
  },
  walkList(event) {
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const buttons = [...this.parts.list.querySelectorAll("button")];
    const here = document.activeElement, next = buttons[buttons.indexOf(here) + step];
    if (!next) return;
    event.preventDefault();
    here.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  },
};
