// The table a game is played on: draws a scene (see drawing/scene.py) and tells which move was chosen.
import { drawBoard, squareAt } from "gdl-board";

const escape = (text) =>
  String(text).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);

export default {
  template: `
    <div class="gt">
      <div class="gt-players" role="list" aria-label="players"></div>
      <div class="gt-banner" role="status" aria-live="polite"></div>
      <div class="gt-main">
        <div class="gt-boards"></div>
        <div class="gt-panel">
          <div class="gt-own gt-cards"></div>
          <div class="gt-moves">
            <label class="gt-filter"><span>moves</span>
              <input type="search" placeholder="filter ( / )" aria-label="filter moves" autocomplete="off"></label>
            <div class="gt-list" role="listbox" aria-label="legal moves"></div>
          </div>
          <div class="gt-others gt-cards"></div>
          <div class="gt-facts"></div>
        </div>
      </div>
      <div class="gt-choice" role="dialog" aria-label="choose a move" hidden></div>
    </div>`,
  mounted() {
    this.state = null;
    this.selected = null; // {board, square} from which a move is being made
    this.cursor = null; // {board, row, column} of the keyboard
    this.drag = null;
    this.filter = "";
    this.cardsHtml = {};
    const find = (name) => this.$el.querySelector(`.gt-${name}`);
    this.parts = Object.fromEntries(
      ["players", "banner", "boards", "own", "others", "moves", "list", "facts", "choice"].map((n) => [n, find(n)]));
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
      if (this.drag && this.drag.starts) e.preventDefault();
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
      this.state = state;
      this.received = performance.now();
      this.$el.dataset.tick = `${state.episode}.${state.tick}`;
      if (isNewTurn) { this.selected = null; this.closeChoice(); }
      this.drawPlayers();
      this.drawBanner();
      if (!this.drag) this.drawBoards();
      this.drawCards();
      this.drawMoves();
      this.drawFacts();
      this.$emit("drawn", state.number);
    },
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
      const html = this.state.players.map((p) => `
        <div class="gt-player ${p.toMove ? "to-move" : ""} ${p.isYou ? "is-you" : ""}" role="listitem" data-role="${escape(p.role)}">
          <i style="background:${escape(p.colour)}"></i>
          <b>${escape(p.role)}</b><span class="gt-agent">${escape(p.isYou ? "you" : p.agent)}</span>
          ${p.goal === null ? "" : `<span class="gt-goal" title="goal">${p.goal}</span>`}
          ${p.tally ? `<span class="gt-tally" title="won, drawn, lost">${escape(p.tally)}</span>` : ""}
          ${p.strikes ? `<span class="gt-strikes" title="strikes">⚠ ${p.strikes}</span>` : ""}
          <span class="gt-clock" data-clock="${p.toMove ? 1 : ""}"></span>
        </div>`).join("");
      if (html !== this.playersHtml) { this.parts.players.innerHTML = html; this.playersHtml = html; }
      this.drawClock();
    },
    drawClock() {
      if (!this.state) return;
      // What is chosen while the server is away would be lost.
      const isOffline = !!window.socket && !window.socket.connected;
      if (isOffline && this.state.canPlay) {
        this.state.canPlay = false;
        this.state.banner = "the server of this page does not answer; trying again …";
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
      const { cards } = this.state.scene;
      this.drawGroups("own", cards.filter((group) => group.is_own));
      this.drawGroups("others", cards.filter((group) => !group.is_own));
    },
    drawGroups(part, groups) {
      const legal = new Set(this.moves().map((m) => m.card).filter(Boolean));
      const html = groups.map((group) => `
        <section class="gt-group"><h3>${escape(group.title)}</h3><div class="gt-hand">${group.cards.map((card) =>
          card.is_up
            ? `<button type="button" class="gt-card ${card.is_red ? "is-red" : ""} ${card.keys.some((k) => legal.has(k)) ? "is-legal" : ""}"
                 data-keys="${escape(card.keys.join("|"))}" aria-label="${escape(card.label)}" ${card.keys.some((k) => legal.has(k)) ? "" : "tabindex=-1"}>
                 <span class="gt-corner">${escape(card.rank)}<br>${escape(card.suit)}</span><span class="gt-pip">${escape(card.suit || card.rank)}</span></button>`
            : `<div class="gt-card is-down" role="img" aria-label="a card you do not see"></div>`).join("")}</div></section>`).join("");
      if (html !== this.cardsHtml[part]) { this.parts[part].innerHTML = html; this.cardsHtml[part] = html; }
    },
    drawMoves() {
      const words = this.filter.toLowerCase().split(/\s+/).filter(Boolean);
      const all = this.moves();
      const shown = all.filter((m) => words.every((w) => m.label.toLowerCase().includes(w)));
      this.parts.moves.hidden = !all.length;
      this.input.parentElement.hidden = all.length <= 6 && !this.filter;
      const html = shown.slice(0, 300).map((m) =>
        `<button type="button" role="option" data-move="${escape(m.text)}">${escape(m.label)}</button>`).join("")
        + (shown.length > 300 ? `<p>… and ${shown.length - 300} more: filter</p>` : "")
        + (all.length && !shown.length ? "<p>no move contains that</p>" : "");
      if (html !== this.movesHtml) { this.parts.list.innerHTML = html; this.movesHtml = html; }
    },
    drawFacts() {
      const { scene } = this.state;
      const notes = scene.notes.map((n) => `<span class="gt-note">${escape(n)}</span>`).join("");
      const tables = scene.tables.map((t) => `
        <section class="gt-table"><h3>${escape(t.title)}</h3><table>${t.rows.map((row) =>
          `<tr>${row.map((cell) => `<td>${escape(cell)}</td>`).join("")}</tr>`).join("")}</table></section>`).join("");
      const hidden = scene.hidden.map((h) => `<p class="gt-hidden">▨ ${escape(h)}</p>`).join("");
      const html = `<div class="gt-notes">${notes}</div><div class="gt-tables">${tables}</div>${hidden}`;
      if (html !== this.factsHtml) { this.parts.facts.innerHTML = html; this.factsHtml = html; }
    },
    // ---- choosing a move
    pick(number, square) {
      const [row, column] = square.split(",").map(Number);
      const moves = this.moves().filter((m) => m.board === number);
      const lines = moves.filter((m) => m.column === column || m.row === row);
      if (lines.length) return this.settle(lines);
      const from = this.selected && this.selected.board === number ? this.selected.square : null;
      if (from) {
        const found = moves.filter((m) => m.path.length === 2 && m.path[0].join() === from && m.path[1].join() === square);
        if (found.length) return this.settle(found);
      }
      const single = moves.filter((m) => m.path.length === 1 && m.path[0].join() === square);
      const starts = moves.filter((m) => m.path.length === 2 && m.path[0].join() === square);
      if (single.length && !starts.length) return this.settle(single);
      this.selected = starts.length && from !== square ? { board: number, square } : null;
      this.drawBoards();
    },
    settle(moves) {
      if (moves.length === 1) return this.play(moves[0].text);
      const { choice } = this.parts;
      choice.innerHTML = moves.map((m) => `<button type="button" data-move="${escape(m.text)}">${escape(m.label)}</button>`).join("")
        + `<button type="button" class="gt-cancel">cancel</button>`;
      choice.hidden = false;
      choice.querySelector("button").focus();
    },
    closeChoice() { this.parts.choice.hidden = true; },
    pickCard(card) {
      const keys = card.dataset.keys.split("|");
      this.settle(this.moves().filter((m) => keys.includes(m.card)));
    },
    // ---- mouse and finger: a click, or a drag from one square to another
    onDown(event) {
      const hit = squareAt(event.target);
      if (!hit || event.button > 0) return;
      const starts = this.moves().some((m) => m.board === hit.board && m.path.length === 2 && m.path[0].join() === hit.square);
      this.drag = { ...hit, x: event.clientX, y: event.clientY, starts, isMoving: false };
      this.cursor = null;
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
      const hit = squareAt(document.elementFromPoint(event.clientX, event.clientY));
      if (!drag.isMoving) {
        if (hit && hit.square === drag.square && hit.board === drag.board) this.pick(hit.board, hit.square);
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
      if (!svg || !this.state) return;
      const number = Number(svg.dataset.board);
      const board = this.state.scene.boards[number];
      if (!this.cursor || this.cursor.board !== number) {
        this.cursor = { board: number, row: Math.floor(board.rows.length / 2), column: Math.floor(board.columns.length / 2) };
        if (!(event.key in steps)) return this.drawBoards();
      } else if (event.key in steps) {
        const [down, right] = steps[event.key];
        this.cursor.row = Math.min(board.rows.length - 1, Math.max(0, this.cursor.row + down));
        this.cursor.column = Math.min(board.columns.length - 1, Math.max(0, this.cursor.column + right));
      } else if (event.key === "Enter" || event.key === " ") {
        this.pick(number, `${this.cursor.row},${this.cursor.column}`);
      } else return;
      event.preventDefault();
      this.drawBoards();
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
