// The table a game is played on: draws a scene (see drawing/scene.py) and tells which move was chosen.
import {
  canReverse, choosing, drawBoard, drawDice, drawHistory, drawRules, drawSeats, drawStudy, drawWhy, escape, factsHtml, groupsHtml, isSoundOn, isStill,
  keyboard, lightLine, markRules, playSound, playersHtml, pointer, recall, remember, squareAt, switchSound,
} from "gdl-board";

// Positions that follow one another faster are not animated [ms].
const QUICK = 120;
// So many moves are listed beside a board without being asked for.
const FEW = 4;
// A move that the server has not heard of for so long is lost, and can be made again [ms].
const LOST = 5000;

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
          <div class="gt-moves" hidden>
            <h2 class="gt-question" hidden></h2>
            <button type="button" class="gt-more" aria-expanded="true" hidden></button>
            <div class="gt-every">
              <label class="gt-filter">
                <input type="search" :placeholder="words.filter_hint" :aria-label="words.filter" autocomplete="off"></label>
              <div class="gt-list" role="listbox" :aria-label="words.legal_moves"></div>
            </div>
          </div>
          <nav class="gt-history" :aria-label="words.history"><h2>{{ words.game }}</h2><ol></ol></nav>
          <section class="gt-why" role="status" aria-live="polite" hidden></section>
          <section class="gt-study" hidden></section>
          <section class="gt-rules" hidden></section>
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
    this.target = "";
    this.drawing = null; // the square at which an arrow begins
    this.drawn = []; // arrows of the visitor
    this.advice = []; // arrows of the analysis
    this.showsArrows = false; // of the last move, and of the analysis
    this.planned = null; // {board, from, to}: a move ahead of one's turn
    this.ways = new Set();
    this.own = new Set();
    this.carried = null; // {board, square, target}: a piece that was let go of there
    this.dropped = "";
    this.changedAt = 0; // when the position changed last
    this.sent = { moves: 0, position: "", at: 0 }; // moves that the server was sent, the last one's position, and when
    this.filter = "";
    this.history = { entries: [], current: null };
    this.isFlipped = false;
    this.cardsHtml = {};
    const find = (name) => this.$el.querySelector(`.gt-${name}`);
    this.parts = Object.fromEntries(
      ["players", "banner", "boards", "own", "others", "moves", "more", "every", "list", "facts", "choice", "why", "history", "study", "rules", "dice", "question", "say"].map((n) => [n, find(n)]));
    this.input = this.$el.querySelector("input");
    this.input.addEventListener("input", () => { this.filter = this.input.value; this.drawMoves(); });
    this.input.addEventListener("keydown", (e) => {
      if (e.key === "Enter") { const first = this.parts.list.querySelector("button"); if (first) first.click(); }
      if (e.key === "Escape") { this.input.value = this.filter = ""; this.drawMoves(); this.input.blur(); }
    });
    this.parts.more.addEventListener("click", () => this.openList(this.parts.every.hidden));
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
    this.onCancelBound = () => { if (this.drag) { this.drag = this.selected = this.carried = null; this.showTarget(null); this.drawBoards(); } };
    window.addEventListener("pointercancel", this.onCancelBound);
    this.parts.boards.addEventListener("keydown", (e) => this.onKey(e));
    this.onGlobalKeyBound = (e) => this.onGlobalKey(e);
    window.addEventListener("keydown", this.onGlobalKeyBound);
    // The right button draws arrows, and takes a move ahead back.
    this.parts.boards.addEventListener("contextmenu", (e) => { if (squareAt(e.target)) e.preventDefault(); });
    this.clock = setInterval(() => this.drawClock(), 250);
  },
  unmounted() {
    clearInterval(this.clock);
    window.removeEventListener("pointermove", this.onMoveBound);
    window.removeEventListener("pointerup", this.onUpBound);
    window.removeEventListener("pointercancel", this.onCancelBound);
    window.removeEventListener("keydown", this.onGlobalKeyBound);
  },
  methods: {
    ...choosing,
    ...keyboard,
    ...pointer,
    show(state) {
      this.holdAnswered(state);
      const isFirst = !this.state;
      const isNewTurn = isFirst || this.state.tick !== state.tick || this.state.episode !== state.episode;
      if (this.state && (isNewTurn || this.state.outcome !== state.outcome)) {
        playSound(state.outcome || (state.canPlay ? "turn" : "move"));
        this.parts.why.hidden = true;
      }
      if (this.state && this.state.episode !== state.episode) this.planned = null;
      // What is shown again, with another clock or sentence, hurries nothing.
      const isSteady = performance.now() - this.changedAt > QUICK;
      this.state = state;
      this.received = performance.now();
      if (isNewTurn) this.changedAt = this.received;
      this.$el.dataset.tick = `${state.episode}.${state.tick}`;
      if (isNewTurn) {
        // What is held in the hand, or chosen ahead, is the next move.
        if (!state.canPlan && !this.drag) this.selected = null;
        this.closeChoice();
        this.drawn = [];
        this.say(state.spoken);
      }
      if (isNewTurn || state.canPlay) this.carried = null;
      if (isFirst) this.drawGame();
      this.learnWays();
      this.drawPlayers();
      this.drawBanner();
      if (!this.drag) this.drawBoards(isSteady && !isStill());
      if (isNewTurn) this.dropped = "";
      this.drawCards();
      this.drawMoves();
      this.drawFacts();
      this.playPlan();
      this.$emit("drawn", state.number);
    },
    // A state that was on its way when a move was chosen asks for that move once more.
    holdAnswered(state) {
      const { moves, position, at } = this.sent;
      if (state.heard >= moves || position !== `${state.episode}.${state.tick}` || performance.now() - at > LOST) return;
      state.isWaiting = state.isWaiting || state.canPlay;
      state.canPlay = false;
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
      // Colours are those of the players, and the place of the list is beside a board.
      if (!this.state) return;
      this.parts.history.hidden = this.history.entries.length < 2;
      const colours = Object.fromEntries(this.state.players.map((p) => [p.name || p.role, p.colour]));
      drawHistory(this.parts.history.querySelector("ol"), this.history.entries, this.history.current, colours, this.words);
    },
    showWhy(answer) { drawWhy(this.parts.why, answer, this.words); },
    showStudy(study) {
      drawStudy(this.parts.study, study, this.state ? this.state.players : [], this.words);
      this.advice = (study && study.arrows) || [];
      this.drawBoards();
    },
    showRules(rules) { drawRules(this.parts.rules, rules, this.words); },
    markRules(fired) { markRules(this.parts.rules, fired); },
    switchArrows() { this.showsArrows = !this.showsArrows; this.drawBoards(); return this.showsArrows; },
    flip() { this.isFlipped = !this.isFlipped; if (this.state) this.drawBoards(); },
    isReversed(board) { return canReverse(board) && !!this.state.isReversed !== this.isFlipped; },
    switchSound() { switchSound(); if (isSoundOn()) playSound("move"); return isSoundOn(); },
    isSoundOn() { return isSoundOn(); },
    // What a click would choose: a whole column or row, where moves name no more.
    showLine(hit) { lightLine(this.parts.boards, hit, this.moves()); },
    drawAll() { this.drawBoards(); this.drawCards(); this.drawMoves(); },
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
        this.drawBanner();
        this.drawAll();
      }
      const passed = (performance.now() - this.received) / 1000;
      this.$el.querySelectorAll(".gt-clock").forEach((part, i) => {
        const { clock = null, toMove } = this.state.players[i] || {};
        const left = clock === null ? null : Math.max(0, toMove ? clock - passed : clock);
        part.textContent = left === null ? "" : left >= 60 ? `${Math.floor(left / 60)}:${String(Math.floor(left % 60)).padStart(2, "0")}` : `${left.toFixed(0)} s`;
        part.classList.toggle("is-short", left !== null && toMove && left < 10);
      });
    },
    drawBanner() {
      const { banner } = this.parts;
      const words = this.planned ? `${this.state.banner} · ${this.words.planned}` : this.state.banner;
      if (banner.textContent !== words) banner.textContent = words;
      banner.dataset.kind = this.state.bannerKind || "";
      banner.dataset.outcome = this.state.outcome || "";
    },
    drawBoards(isMoving = false) {
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
      const { planned } = this;
      const squares = planned ? [planned.from, planned.to].filter(Boolean).map((square) => `${planned.board}:${square}`) : [];
      const arrows = this.arrows();
      scene.boards.forEach((board, number) => {
        // Of several, each says whose it is.
        boards.children[number].dataset.title = scene.boards.length > 1 ? board.name : "";
        drawBoard(boards.children[number], board, number, {
          marks: this.marks(number), heat: scene.heat, cursor: this.cursor, last: this.state.lastSquares || [], planned: squares, arrows,
          words: this.words, won: this.state.wonSquares || [], isReversed: this.isReversed(board), isMoving, dropped: this.dropped, carried: this.carried,
        });
      });
    },
    // What is drawn over the boards: by the visitor, and on request the last move and the best ones.
    arrows() {
      const { planned } = this;
      const ahead = planned && planned.from ? [{ ...planned, kind: "planned" }] : [];
      return [...(this.showsArrows ? [...(this.state.lastPaths || []), ...this.advice] : []), ...ahead, ...this.drawn];
    },
    // One's own cards are above the list of moves, so that both are on the first screen of a phone.
    drawCards() {
      const { cards, table, dice } = this.state.scene;
      // At a table they lie in its middle.
      this.parts.dice.hidden = !dice.length || !!table;
      const diceHtml = drawDice(dice);
      if (diceHtml !== this.cardsHtml.dice) { this.parts.dice.innerHTML = diceHtml; this.cardsHtml.dice = diceHtml; }
      this.$el.classList.toggle("has-seats", !!table);
      if (table) {
        const legal = new Set(this.moves().map((m) => m.card).filter(Boolean));
        for (const [part, html] of Object.entries(drawSeats(table, dice, legal, this.words))) {
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
      this.foldList(all);
      // One stop of the tab key: arrows lead from move to move.
      const html = shown.slice(0, 300).map((m, i) =>
        `<button type="button" role="option" tabindex="${i ? -1 : 0}" data-move="${escape(m.text)}">${escape(m.label)}</button>`).join("")
        + (shown.length > 300 ? `<p>${escape(this.words.more.replace("{count}", shown.length - 300))}</p>` : "")
        + (all.length && !shown.length ? `<p>${escape(this.words.no_match)}</p>` : "");
      if (html !== this.movesHtml) { this.parts.list.innerHTML = html; this.movesHtml = html; }
    },
    // Where every move can be made on the board, the list is there for those who ask for it.
    foldList(all) {
      const { more, every } = this.parts;
      const canFold = all.length > FEW && all.every((m) => m.board >= 0);
      const isOpen = !canFold || this.filter !== "" || recall("list") === "open";
      more.hidden = !canFold;
      more.textContent = this.words.all_moves.replace("{count}", all.length);
      more.setAttribute("aria-expanded", String(isOpen));
      every.hidden = !isOpen;
    },
    openList(isOpen) {
      remember("list", isOpen ? "open" : "");
      if (this.state) this.drawMoves();
    },
    drawFacts() {
      const html = factsHtml(this.state.scene);
      if (html !== this.factsHtml) { this.parts.facts.innerHTML = html; this.factsHtml = html; }
    },
  },
};
