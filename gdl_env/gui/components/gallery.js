// The games there are: pictures to choose from, with a search box and filters.
import { drawDice, drawDomino, escape, sketchBoard } from "gdl-board";


// The filter of a number of players.
function seats(card) {
  return card.players === 1 ? "1 player" : card.players > 2 ? "3 or more" : "2 players";
}

export default {
  // source: where the cards are, see gallery/gallery_data.py; chosen: the name of a game;
  // lengths: the longest game of each kind, in moves, and its name.
  props: { words: Object, names: Object, lengths: Array, source: String, chosen: String },
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
    // Pictures are drawn when they are about to be seen.
    this.seen = new IntersectionObserver((found) => {
      for (const { target } of found.filter((one) => one.isIntersecting)) {
        this.seen.unobserve(target);
        this.draw(target, this.cards[Number(target.dataset.card)]);
      }
    }, { rootMargin: "200px" });
    fetch(this.source).then((answer) => answer.json()).then((cards) => this.show(cards));
  },
  unmounted() { this.seen.disconnect(); },
  watch: { chosen() { this.highlight(); } },
  methods: {
    show(cards) {
      this.cards = cards;
      const kinds = [...new Set(cards.flatMap((c) => [...c.kinds, seats(c)]))].sort();
      this.$el.querySelector(".gt-kinds").innerHTML = kinds.map((kind) =>
        `<button type="button" aria-pressed="false" data-kind="${escape(kind)}">${escape(this.names[kind])}</button>`).join("");
      const games = this.$el.querySelector(".gt-games");
      games.innerHTML = cards.map((c, i) => `
        <li><button type="button" class="gt-tile" data-game="${escape(c.name)}" aria-label="${escape(c.title)}: ${escape(c.summary)}">
          <div class="gt-thumb" aria-hidden="true" data-card="${i}"></div><b>${escape(c.title)}</b>
          <small>${escape(this.describe(c))}<span class="gt-length"></span></small>
          <span>${escape(c.summary)}</span></button></li>`).join("");
      for (const card of cards) if (card.moves) this.showLength(card.name, card.moves);
      for (const frame of games.querySelectorAll(".gt-thumb")) this.seen.observe(frame);
      this.highlight();
      this.filter();
    },
    describe(card) {
      const count = card.players === 1 ? this.words.one_player : this.words.players.replace("{count}", card.players);
      const kinds = card.kinds.filter((k) => k !== "board" && k !== "cards").map((k) => this.names[k]);
      return [count, ...kinds].join(" · ");
    },
    // How long a game takes, in words; how many moves that are, as a hint.
    showLength(name, moves) {
      const tile = [...this.$el.querySelectorAll(".gt-tile")].find((t) => t.dataset.game === name);
      if (!tile) return;
      const place = tile.querySelector(".gt-length");
      const [, words] = this.lengths.find(([most]) => most === null || moves <= most);
      place.textContent = ` · ${words}`;
      place.title = this.words.moves.replace("{moves}", Math.round(moves));
      const card = this.cards.find((c) => c.name === name);
      if (card) card.length = words;
    },
    draw(frame, card) {
      if (card.board) {
        frame.innerHTML = sketchBoard(card.board);
      } else if (card.cards.length && card.cards[0].ends.length) {
        frame.innerHTML = `<div class="gt-tiles">${card.cards.map((c) => `<i>${drawDomino(c.ends)}</i>`).join("")}</div>`;
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
    highlight() {
      for (const tile of this.$el.querySelectorAll(".gt-tile")) tile.classList.toggle("is-chosen", tile.dataset.game === this.chosen);
    },
  },
};
