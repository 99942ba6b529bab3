// The games there are: pictures to choose from, with a search box and filters.
import { drawBoard, drawDice, escape } from "gdl-board";


// The filter of a number of players.
function seats(card) {
  return card.players === 1 ? "1 player" : card.players > 2 ? "3 or more" : "2 players";
}

export default {
  props: { words: Object, names: Object },
  template: `
    <div class="gt-gallery">
      <div class="gt-search">
        <input type="search" :placeholder="words.search" :aria-label="words.search" autocomplete="off">
        <div class="gt-kinds" role="group" :aria-label="words.kinds"></div>
      </div>
      <ul class="gt-games" :aria-label="words.games"></ul>
      <p class="gt-nothing" hidden>{{ words.nothing }}</p>
    </div>`,
  mounted() {
    this.cards = [];
    this.kinds = new Set();
    this.input = this.$el.querySelector("input");
    this.input.addEventListener("input", () => this.filter());
    this.$el.querySelector(".gt-kinds").addEventListener("click", (e) => {
      const button = e.target.closest("button");
      if (!button) return;
      const { kind } = button.dataset;
      if (this.kinds.has(kind)) this.kinds.delete(kind); else this.kinds.add(kind);
      button.setAttribute("aria-pressed", String(this.kinds.has(kind)));
      this.filter();
    });
    this.$el.querySelector(".gt-games").addEventListener("click", (e) => {
      const tile = e.target.closest("button[data-game]");
      if (tile) this.$emit("chosen", tile.dataset.game);
    });
    this.$emit("ready");
  },
  methods: {
    show(cards) {
      this.cards = cards;
      const kinds = [...new Set(cards.flatMap((c) => [...c.kinds, seats(c)]))].sort();
      this.$el.querySelector(".gt-kinds").innerHTML = kinds.map((kind) =>
        `<button type="button" aria-pressed="false" data-kind="${escape(kind)}">${escape(this.names[kind])}</button>`).join("");
      const games = this.$el.querySelector(".gt-games");
      games.innerHTML = cards.map((c) => `
        <li><button type="button" class="gt-tile" data-game="${escape(c.name)}" aria-label="${escape(c.title)}: ${escape(c.summary)}">
          <div class="gt-thumb" aria-hidden="true"></div><b>${escape(c.title)}</b>
          <small>${escape(this.describe(c))}<span class="gt-length"></span></small>
          <span>${escape(c.summary)}</span></button></li>`).join("");
      cards.forEach((card, i) => this.draw(games.children[i].querySelector(".gt-thumb"), card));
      this.filter();
    },
    describe(card) {
      const count = card.players === 1 ? this.words.one_player : this.words.players.replace("{count}", card.players);
      const kinds = card.kinds.filter((k) => k !== "board" && k !== "cards").map((k) => this.names[k]);
      return [count, ...kinds].join(" · ");
    },
    showLength(name, words, hint) {
      const tile = [...this.$el.querySelectorAll(".gt-tile")].find((t) => t.dataset.game === name);
      if (!tile) return;
      const place = tile.querySelector(".gt-length");
      place.textContent = ` · ${words}`;
      place.title = hint;
      const card = this.cards.find((c) => c.name === name);
      if (card) card.length = words;
    },
    draw(frame, card) {
      if (card.board) {
        drawBoard(frame, card.board, 0, { marks: {}, heat: {}, cursor: null, last: [], won: [], isReversed: false });
        const svg = frame.querySelector("svg");
        // Names are unique on a page, also those of patterns.
        for (const part of svg.querySelectorAll("[id]")) {
          const fresh = `${part.id}-${card.name}`;
          for (const user of svg.querySelectorAll(`[fill="url(#${part.id})"]`)) user.setAttribute("fill", `url(#${fresh})`);
          part.id = fresh;
        }
        // A picture, nothing to be reached by keys.
        for (const name of ["tabindex", "role", "aria-label", "data-board"]) svg.removeAttribute(name);
        for (const square of svg.querySelectorAll("[data-square]")) for (const name of ["data-square", "data-coordinates", "data-board", "aria-label"]) square.removeAttribute(name);
      } else if (card.cards.length) {
        frame.innerHTML = `<div class="gt-sample">${card.cards.map((c) => `<i class="${c.is_red ? "is-red" : ""}">${escape(c.rank)}<br>${escape(c.suit)}</i>`).join("")}</div>`;
      } else if (card.dice.length) frame.innerHTML = drawDice(card.dice);
      else if (card.said.length) frame.innerHTML = `<div class="gt-saying">${card.said.map((word) => `<q class="gt-said">${escape(word)}</q>`).join("")}</div>`;
      else frame.innerHTML = `<div class="gt-initial">${escape(card.title.slice(0, 1))}</div>`;
    },
    filter() {
      const words = this.input.value.toLowerCase().split(/\s+/).filter(Boolean);
      let found = 0;
      this.cards.forEach((card, i) => {
        const kinds = [...card.kinds, seats(card)];
        const named = kinds.map((k) => this.names[k]).join(" ");
        const text = `${card.name} ${card.title} ${card.summary} ${named} ${card.length || ""}`.toLowerCase();
        const isShown = words.every((w) => text.includes(w)) && [...this.kinds].every((k) => kinds.includes(k));
        this.$el.querySelector(".gt-games").children[i].hidden = !isShown;
        found += isShown;
      });
      this.$el.querySelector(".gt-nothing").hidden = found > 0 || !this.cards.length;
    },
    highlight(name) {
      for (const tile of this.$el.querySelectorAll(".gt-tile")) tile.classList.toggle("is-chosen", tile.dataset.game === name);
    },
  },
};
