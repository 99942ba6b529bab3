// The games there are: pictures to choose from, with a search box and filters.
import { drawBoard, escape } from "gdl-board";


export default {
  template: `
    <div class="gt-gallery">
      <div class="gt-search">
        <input type="search" placeholder="search the games" aria-label="search the games" autocomplete="off">
        <div class="gt-kinds" role="group" aria-label="kinds of games"></div>
      </div>
      <ul class="gt-games" aria-label="games"></ul>
      <p class="gt-nothing" hidden>no game is like that</p>
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
      const kinds = [...new Set(cards.flatMap((c) => [...c.kinds, c.players === 1 ? "1 player" : c.players > 2 ? "3 or more" : "2 players"]))].sort();
      this.$el.querySelector(".gt-kinds").innerHTML = kinds.map((kind) =>
        `<button type="button" aria-pressed="false" data-kind="${escape(kind)}">${escape(kind)}</button>`).join("");
      const games = this.$el.querySelector(".gt-games");
      games.innerHTML = cards.map((c) => `
        <li><button type="button" class="gt-tile" data-game="${escape(c.name)}" aria-label="${escape(c.title)}: ${escape(c.summary)}">
          <div class="gt-thumb" aria-hidden="true"></div><b>${escape(c.title)}</b>
          <small>${c.players === 1 ? "1 player" : `${c.players} players`}${c.kinds.filter((k) => k !== "board" && k !== "cards").map((k) => ` · ${escape(k)}`).join("")}</small>
          <span>${escape(c.summary)}</span></button></li>`).join("");
      cards.forEach((card, i) => this.draw(games.children[i].querySelector(".gt-thumb"), card));
      this.filter();
    },
    draw(frame, card) {
      if (card.board) {
        drawBoard(frame, card.board, 0, { marks: {}, heat: {}, cursor: null, last: [], won: [], isReversed: false });
        const svg = frame.querySelector("svg");
        // A picture, nothing to be reached by keys.
        for (const name of ["tabindex", "role", "aria-label", "data-board"]) svg.removeAttribute(name);
        for (const square of svg.querySelectorAll("[data-square]")) for (const name of ["data-square", "data-coordinates", "data-board", "aria-label"]) square.removeAttribute(name);
      } else if (card.cards.length) {
        frame.innerHTML = `<div class="gt-sample">${card.cards.map((c) => `<i class="${c.is_red ? "is-red" : ""}">${escape(c.rank)}<br>${escape(c.suit)}</i>`).join("")}</div>`;
      } else frame.innerHTML = `<div class="gt-initial">${escape(card.title.slice(0, 1))}</div>`;
    },
    filter() {
      const words = this.input.value.toLowerCase().split(/\s+/).filter(Boolean);
      let found = 0;
      this.cards.forEach((card, i) => {
        const kinds = [...card.kinds, card.players === 1 ? "1 player" : card.players > 2 ? "3 or more" : "2 players"];
        const text = `${card.name} ${card.title} ${card.summary} ${kinds.join(" ")}`.toLowerCase();
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
