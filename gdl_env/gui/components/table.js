// The table a game is played on: draws a scene (see drawing/scene.py) and tells which move was chosen.
import {
  canReverse, drawBoard, drawDice, drawHistory, drawSeats, drawStudy, drawWhy, escape, factsHtml, groupsHtml, isSoundOn,
  lightLine, playSound, playersHtml, putBeside, squareAt, switchSound,
} from "gdl-board";

const ARROWS = { ArrowUp: "up", ArrowDown: "down", ArrowLeft: "left", ArrowRight: "right" };
// A finger that goes this far has swiped [pixels].
const SWIPE = 30;

export default {
  // Texts in the language of the reader: section `table` of locale/*.yaml.
  props: { words: Object },
  template: `
    <div class="gt">
      <div class="gt-players" role="list" :aria-label="words.players"></div>
      <div class="gt-banner" role="status" aria-live="polite"></div>
      <div class="gt-say" role="log" aria-live="polite"></div>
      <div class="gt-main">
        <div class="gt-boards"></div>
        <div class="gt-panel">
          <div class="gt-dice" hidden></div>
          <div class="gt-own gt-cards"></div>
          <div class="gt-moves">
            <h2 class="gt-question" hidden></h2>
            <label class="gt-filter"><span>{{ words.moves }}</span>
              <input type="search" :placeholder="words.filter_hint" :aria-label="words.filter" autocomplete="off"></label>
            <div class="gt-list" role="listbox" :aria-label="words.legal_moves"></div>
          </div>
          <section class="gt-why" role="status" aria-live="polite" hidden></section>
          <section class="gt-study" hidden></section>
          <nav class="gt-history" aria-label="moves played"><h2>Game</h2><ol></ol></nav>
          <div class="gt-others gt-cards"></div>
          <div class="gt-facts"></div>
        </div>
      </div>
      <div class="gt-choice" role="dialog" :aria-label="words.choose" hidden></div>
    </div>`,
  mounted() {
    this.state = null;
    this.selected = null; // {board, square} from which a move is being made
    this.cursor = null; // {board, row, column} of the keyboard
    this.drag = null;
    this.filter = "";
    this.history = { entries: [], current: null };
    this.isFlipped = false;
    this.cardsHtml = {};
    const find = (name) => this.$el.querySelector(`.gt-${name}`);
    this.parts = Object.fromEntries(
      ["players", "banner", "boards", "own", "others", "moves", "list", "facts", "choice", "why", "history", "study", "dice", "question", "say"].map((n) => [n, find(n)]));
    this.input = this.$el.querySelector("input");
    this.input.addEventListener("input", () => { this.filter = this.input.value; this.drawMoves(); });
    this.input.addEventListener("keydown", (e) => {
      if (e.key === "Enter") { const first = this.parts.list.querySelector("button"); if (first) first.click(); }
      if (e.key === "Escape") { this.input.value = this.filter = ""; this.drawMoves(); this.input.blur(); }
    });
    this.parts.list.addEventListener("click", (e) => {
      const button = e.target.closest("button[data-move]");
      if (button) this.play(button.dataset.move);
    });
    this.parts.list.addEventListener("keydown", (e) => this.walkList(e));
    this.parts.history.addEventListener("click", (e) => {
      const button = e.target.closest("button[data-number]");
      if (button) this.$emit("visited", Number(button.dataset.number));
    });
    this.parts.why.addEventListener("click", (e) => { if (e.target.closest("button")) this.parts.why.hidden = true; });
    this.parts.boards.addEventListener("pointerover", (e) => this.showLine(squareAt(e.target)));
    this.parts.boards.addEventListener("pointerleave", () => this.showLine(null));
    this.parts.choice.addEventListener("click", (e) => {
      const button = e.target.closest("button");
      if (!button) return;
      this.closeChoice();
      if (button.dataset.move) this.play(button.dataset.move);
    });
    for (const part of [this.parts.own, this.parts.others]) part.addEventListener("click", (e) => {
      const card = e.target.closest("[data-keys]");
      if (card && card.classList.contains("is-legal")) this.pickCard(card);
    });
    this.parts.boards.addEventListener("pointerdown", (e) => this.onDown(e));
    // A finger on a piece drags it and does not scroll; browsers ignore touch-action inside an SVG.
    this.parts.boards.addEventListener("touchstart", (e) => {
      if (this.drag && (this.drag.starts || this.drag.swipes)) e.preventDefault();
    }, { passive: false });
    this.onMoveBound = (e) => this.onDrag(e);
    this.onUpBound = (e) => this.onUp(e);
    window.addEventListener("pointermove", this.onMoveBound);
    window.addEventListener("pointerup", this.onUpBound);
    // A finger that scrolls the page has chosen nothing.
    this.onCancelBound = () => { if (this.drag) { this.drag = this.selected = null; this.drawBoards(); } };
    window.addEventListener("pointercancel", this.onCancelBound);
    this.parts.boards.addEventListener("keydown", (e) => this.onKey(e));
    this.onGlobalKey = (e) => {
      if (e.target.closest && e.target.closest("input,textarea,select")) return;
      if (this.playArrow(ARROWS[e.key])) return e.preventDefault();
      // Who came to the board by keys moves its cursor with arrows; all others go through the game.
      const isOnBoard = e.target.closest && e.target.closest("svg[data-board]") && e.target.matches(":focus-visible");
      const isInList = e.target.closest && e.target.closest(".gt-list, [role=slider]");
      const step = { ArrowLeft: -1, ArrowRight: 1, Home: -1e9, End: 1e9 }[e.key];
      if (step && !isOnBoard && !isInList && !e.altKey && !e.ctrlKey && !e.metaKey) { e.preventDefault(); this.$emit("stepped", step); }
      if (e.key === "f" && !e.ctrlKey && !e.metaKey) this.flip();
      if (e.key === "/") { e.preventDefault(); this.input.focus(); }
      if (e.key === "Escape") { this.closeChoice(); this.selected = null; this.drawBoards(); }
    };
    window.addEventListener("keydown", this.onGlobalKey);
    this.clock = setInterval(() => this.drawClock(), 250);
  },
  unmounted() {
    clearInterval(this.clock);
    window.removeEventListener("pointermove", this.onMoveBound);
    window.removeEventListener("pointerup", this.onUpBound);
    window.removeEventListener("pointercancel", this.onCancelBound);
    window.removeEventListener("keydown", this.onGlobalKey);
  },
  methods: {
    show(state) {
      const isNewTurn = !this.state || this.state.tick !== state.tick;
      if (this.state && (isNewTurn || this.state.outcome !== state.outcome)) {
        playSound(state.outcome || (state.canPlay ? "turn" : "move"));
        this.parts.why.hidden = true;
      }
      this.state = state;
      this.received = performance.now();
      this.$el.dataset.tick = `${state.episode}.${state.tick}`;
      if (isNewTurn) { this.selected = null; this.closeChoice(); this.say(state.spoken); }
      this.drawPlayers();
      this.drawBanner();
      if (!this.drag) this.drawBoards();
      this.drawCards();
      this.drawMoves();
      this.drawFacts();
      this.$emit("drawn", state.number);
    },
    // For those who do not see the board.
    say(words) {
      if (words) this.parts.say.textContent = words;
    },
    showHistory(change) {
      const { history } = this;
      history.entries = history.entries.slice(0, change.keep).concat(change.add);
      history.current = change.current;
      this.drawGame();
    },
    drawGame() {
      this.parts.history.hidden = this.history.entries.length < 2;
      const colours = Object.fromEntries((this.state ? this.state.players : []).map((p) => [p.name || p.role, p.colour]));
      drawHistory(this.parts.history.querySelector("ol"), this.history.entries, this.history.current, colours);
    },
    showWhy(answer) { drawWhy(this.parts.why, answer); },
    showStudy(study) { drawStudy(this.parts.study, study, this.state ? this.state.players : []); },
    flip() { this.isFlipped = !this.isFlipped; if (this.state) this.drawBoards(); },
    isReversed(board) { return canReverse(board) && !!this.state.isReversed !== this.isFlipped; },
    switchSound() { switchSound(); if (isSoundOn()) playSound("move"); return isSoundOn(); },
    isSoundOn() { return isSoundOn(); },
    // What a click would choose: a whole column or row, where moves name no more.
    showLine(hit) { lightLine(this.parts.boards, hit, this.moves()); },
    play(move) {
      if (!this.state || !this.state.canPlay) return;
      this.selected = null;
      this.state.canPlay = false; // until the next state comes
      this.$el.classList.add("is-sent");
      this.$emit("played", { tick: this.state.tick, move });
      this.drawBoards();
      this.drawCards();
      this.drawMoves();
    },
    moves() {
      return this.state && this.state.canPlay ? this.state.scene.moves : [];
    },
    // ---- drawing
    drawPlayers() {
      this.$el.classList.toggle("is-sent", !this.state.canPlay && !!this.state.isWaiting);
      const html = playersHtml(this.state.players, this.words);
      if (html !== this.playersHtml) { this.parts.players.innerHTML = html; this.playersHtml = html; }
      this.drawClock();
    },
    drawClock() {
      if (!this.state) return;
      // What is chosen while the server is away would be lost.
      const isOffline = !!window.socket && !window.socket.connected;
      if (isOffline && this.state.canPlay) {
        this.state.canPlay = false;
        this.state.banner = this.words.offline;
        this.drawBanner(); this.drawBoards(); this.drawCards(); this.drawMoves();
      }
      for (const part of this.$el.querySelectorAll(".gt-clock")) {
        const left = this.state.clock;
        if (left === null || !part.dataset.clock) { part.textContent = ""; continue; }
        const now = Math.max(0, left - (performance.now() - this.received) / 1000);
        part.textContent = now >= 60 ? `${Math.floor(now / 60)}:${String(Math.floor(now % 60)).padStart(2, "0")}` : `${now.toFixed(0)} s`;
        part.classList.toggle("is-short", now < 5);
      }
    },
    drawBanner() {
      const { banner } = this.parts;
      if (banner.textContent !== this.state.banner) banner.textContent = this.state.banner;
      banner.dataset.kind = this.state.bannerKind || "";
      banner.dataset.outcome = this.state.outcome || "";
    },
    drawBoards() {
      if (!this.state) return;
      const { boards } = this.parts;
      const scene = this.state.scene;
      while (boards.children.length > scene.boards.length) boards.lastChild.remove();
      while (boards.children.length < scene.boards.length) {
        const frame = document.createElement("div");
        frame.className = "gt-board";
        boards.append(frame);
      }
      this.$el.classList.toggle("no-board", scene.boards.length === 0);
      scene.boards.forEach((board, number) => {
        drawBoard(boards.children[number], board, number, {
          marks: this.marks(number), heat: scene.heat, cursor: this.cursor, last: this.state.lastSquares || [],
          won: this.state.wonSquares || [], isReversed: this.isReversed(board),
        });
      });
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
    // One's own cards are above the list of moves, so that both are on the first screen of a phone.
    drawCards() {
      const { cards, table, dice } = this.state.scene;
      this.parts.dice.hidden = !dice.length;
      const diceHtml = drawDice(dice);
      if (diceHtml !== this.cardsHtml.dice) { this.parts.dice.innerHTML = diceHtml; this.cardsHtml.dice = diceHtml; }
      this.$el.classList.toggle("has-seats", !!table);
      if (table) {
        const legal = new Set(this.moves().map((m) => m.card).filter(Boolean));
        for (const [part, html] of Object.entries(drawSeats(table, legal, this.words))) {
          if (html !== this.cardsHtml[part]) { this.parts[part].innerHTML = html; this.cardsHtml[part] = html; }
        }
        return;
      }
      this.drawGroups("own", cards.filter((group) => group.is_own));
      this.drawGroups("others", cards.filter((group) => !group.is_own));
    },
    drawGroups(part, groups) {
      const legal = new Set(this.moves().map((m) => m.card).filter(Boolean));
      const html = groupsHtml(groups, legal, this.words);
      if (html !== this.cardsHtml[part]) { this.parts[part].innerHTML = html; this.cardsHtml[part] = html; }
    },
    drawMoves() {
      const wanted = this.filter.toLowerCase().split(/\s+/).filter(Boolean);
      // At a table of cards those are played from the hand.
      const isTable = !!this.state.scene.table;
      const all = this.moves().filter((m) => !isTable || !m.card);
      const question = (all.find((m) => m.ask) || {}).ask || "";
      this.parts.question.hidden = !question;
      this.parts.question.textContent = question;
      const shown = all.filter((m) => wanted.every((w) => m.label.toLowerCase().includes(w)));
      this.parts.moves.hidden = !all.length;
      this.input.parentElement.hidden = all.length <= (isTable ? 12 : 6) && !this.filter;
      const html = shown.slice(0, 300).map((m) =>
        `<button type="button" role="option" data-move="${escape(m.text)}">${escape(m.label)}</button>`).join("")
        + (shown.length > 300 ? `<p>${escape(this.words.more.replace("{count}", shown.length - 300))}</p>` : "")
        + (all.length && !shown.length ? `<p>${escape(this.words.no_match)}</p>` : "");
      if (html !== this.movesHtml) { this.parts.list.innerHTML = html; this.movesHtml = html; }
    },
    drawFacts() {
      const html = factsHtml(this.state.scene);
      if (html !== this.factsHtml) { this.parts.facts.innerHTML = html; this.factsHtml = html; }
    },
    // ---- choosing a move
    pick(number, square) {
      const [row, column] = square.split(",").map(Number);
      const moves = this.moves().filter((m) => m.board === number);
      const lines = moves.filter((m) => m.column === column || m.row === row);
      if (lines.length) return this.settle(lines, number, square);
      const from = this.selected && this.selected.board === number ? this.selected.square : null;
      if (from) {
        const found = moves.filter((m) => m.path.length === 2 && m.path[0].join() === from && m.path[1].join() === square);
        if (found.length) return this.settle(found, number, square);
      }
      const single = moves.filter((m) => m.path.length === 1 && m.path[0].join() === square);
      const starts = moves.filter((m) => m.path.length === 2 && m.path[0].join() === square);
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
    closeChoice() { this.parts.choice.hidden = true; },
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
    swiped(drag, event) {
      const [x, y] = [event.clientX - drag.x, event.clientY - drag.y];
      if (Math.max(Math.abs(x), Math.abs(y)) < SWIPE) return "";
      return Math.abs(x) > Math.abs(y) ? (x > 0 ? "right" : "left") : (y > 0 ? "down" : "up");
    },
    // ---- mouse and finger: a click, or a drag from one square to another
    onDown(event) {
      const hit = squareAt(event.target);
      if (!hit || event.button > 0) return;
      const starts = this.moves().some((m) => m.board === hit.board && m.path.length === 2 && m.path[0].join() === hit.square);
      this.drag = { ...hit, x: event.clientX, y: event.clientY, starts, isMoving: false };
      this.cursor = null;
      this.drag.swipes = this.moves().some((m) => m.arrow);
      if (starts) event.preventDefault();
    },
    onDrag(event) {
      const { drag } = this;
      if (!drag || !drag.starts) return;
      if (!drag.isMoving && Math.hypot(event.clientX - drag.x, event.clientY - drag.y) > 6) {
        drag.isMoving = true;
        this.selected = { board: drag.board, square: drag.square };
        this.drawBoards();
        drag.piece = this.$el.querySelector(`[data-board="${drag.board}"] [data-piece="${drag.square}"]`);
      }
      if (drag.piece) {
        const svg = drag.piece.ownerSVGElement;
        const scale = svg.viewBox.baseVal.width / svg.getBoundingClientRect().width;
        drag.piece.setAttribute("transform", `translate(${(event.clientX - drag.x) * scale} ${(event.clientY - drag.y) * scale})`);
        drag.piece.classList.add("is-dragged");
      }
    },
    onUp(event) {
      const { drag } = this;
      if (!drag) return;
      this.drag = null;
      if (drag.swipes && this.playArrow(this.swiped(drag, event))) return;
      const hit = squareAt(document.elementFromPoint(event.clientX, event.clientY));
      if (!drag.isMoving) {
        if (hit && hit.square === drag.square && hit.board === drag.board) this.pick(hit.board, hit.square);
        else if (hit && hit.board === drag.board && !drag.starts && this.state.canPlay && (this.state.scene.boards[hit.board].pieces[drag.square] || []).length)
          this.$emit("asked", { board: hit.board, square: hit.square, from: drag.square });
        return;
      }
      if (hit && hit.board === drag.board && hit.square !== drag.square) this.pick(hit.board, hit.square);
      if (this.selected && this.state.canPlay && this.parts.choice.hidden) this.selected = null;
      this.drawBoards();
    },
    // ---- keyboard
    onKey(event) {
      const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
      const svg = event.target.closest("svg[data-board]");
      // Then the page as a whole listens to the arrows.
      if (!svg || !this.state || !svg.matches(":focus-visible") || this.moves().some((m) => m.arrow)) return;
      const number = Number(svg.dataset.board);
      const board = this.state.scene.boards[number];
      if (!this.cursor || this.cursor.board !== number) {
        this.cursor = { board: number, row: Math.floor(board.rows.length / 2), column: Math.floor(board.columns.length / 2) };
        if (!(event.key in steps)) return this.drawBoards();
      } else if (event.key in steps) {
        const [down, right] = steps[event.key].map((n) => (this.isReversed(board) ? -n : n));
        this.cursor.row = Math.min(board.rows.length - 1, Math.max(0, this.cursor.row + down));
        this.cursor.column = Math.min(board.columns.length - 1, Math.max(0, this.cursor.column + right));
      } else if (event.key === "Enter" || event.key === " ") {
        this.pick(number, `${this.cursor.row},${this.cursor.column}`);
      } else return;
      event.preventDefault();
      this.drawBoards();
      const square = svg.querySelector(`[data-square="${this.cursor.row},${this.cursor.column}"]`);
      if (event.key in steps && square) this.say(square.getAttribute("aria-label") || square.dataset.coordinates);
    },
    walkList(event) {
      const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      const buttons = [...this.parts.list.querySelectorAll("button")];
      const next = buttons[buttons.indexOf(document.activeElement) + step];
      if (next) { event.preventDefault(); next.focus(); }
    },
  },
};
