// A table of cards: players around it, the trick in the middle; and dice.
import { escape } from "./escape.js";

const PIPS = { 1: [4], 2: [0, 8], 3: [0, 4, 8], 4: [0, 2, 6, 8], 5: [0, 2, 4, 6, 8], 6: [0, 2, 3, 5, 6, 8] };

export function drawDice(dice) {
  return dice.map((number) => {
    const face = PIPS[number]
      ? PIPS[number].map((i) => `<circle cx="${22 + (i % 3) * 28}" cy="${22 + Math.floor(i / 3) * 28}" r="9"/>`).join("")
      : `<text x="50" y="54" font-size="52" text-anchor="middle" dominant-baseline="central">${escape(number)}</text>`;
    return `<svg class="gt-die" viewBox="0 0 100 100" role="img" aria-label="${escape(number)}"><rect x="3" y="3" width="94" height="94" rx="18"/>${face}</svg>`;
  }).join("");
}

// Where the other players sit, clockwise from the left of the viewer.
const SIDES = { 1: ["top"], 2: ["left", "right"], 3: ["left", "top", "right"] };

const isLegal = (card, legal) => card.keys.some((key) => legal.has(key));

// A domino, upright: two halves of pips.
const half = (number, top) => (PIPS[number]
  ? PIPS[number].map((i) => `<circle cx="${14 + (i % 3) * 16}" cy="${top + 14 + Math.floor(i / 3) * 16}" r="5.5"/>`).join("")
  : number ? `<text x="30" y="${top + 32}" font-size="30" text-anchor="middle" dominant-baseline="central">${escape(number)}</text>` : "");
export const drawDomino = ([one, other]) => `<svg viewBox="0 0 60 122" aria-hidden="true">${half(one, 0)}<path d="M8 61h44"/>${half(other, 62)}</svg>`;

export function drawCard(card, legal, words, style = "") {
  if (!card.is_up) return `<div class="gt-card is-down" role="img" aria-label="${escape(words.face_down)}" style="${style}"></div>`;
  const can = isLegal(card, legal);
  const inside = card.ends.length ? drawDomino(card.ends) : `<span class="gt-corner">${escape(card.rank)}<br>${escape(card.suit)}</span><span class="gt-pip">${escape(card.suit || card.rank)}</span>`;
  const red = card.ends.length ? "is-domino" : card.is_red ? "is-red" : "";
  if (!can) return `<div class="gt-card ${red}" role="img" data-keys="${escape(card.keys.join("|"))}" aria-label="${escape(card.label)}" style="${style}">${inside}</div>`;
  return `<button type="button" class="gt-card ${red} is-legal" data-keys="${escape(card.keys.join("|"))}" aria-label="${escape(words.play_card.replace("{card}", card.label))}" style="${style}">${inside}</button>`;
}

function fan(cards, legal, words) {
  const middle = (cards.length - 1) / 2;
  return `<div class="gt-held" style="--n:${cards.length}">${cards.map((card, i) =>
    drawCard(card, legal, words, `--turn:${((i - middle) * 2.2).toFixed(1)}deg;--drop:${((i - middle) ** 2 * 0.9).toFixed(1)}px`)).join("")}</div>`;
}

// Backs of the same kind in a narrow pack, and how many there are in words.
function backs(cards, words) {
  const label = words.cards_held.replace("{count}", cards.length);
  return `<div class="gt-pack" role="img" aria-label="${escape(label)}">${cards.map(() => `<i class="gt-back"></i>`).join("")}</div>`;
}

const money = (amount, words) => (amount < 0 ? ""
  : `<span class="gt-money" title="${escape(words.money)}"><i class="gt-coin"></i>${escape(amount)}</span>`);

function about(seat, words) {
  const notes = seat.notes.map((note) => `<span class="gt-note">${escape(note)}</span>`).join("");
  const said = seat.said.map((word) => `<q class="gt-said">${escape(word)}</q>`).join("");
  return `<div class="gt-about"><b class="gt-name">${escape(seat.name)}</b>${money(seat.money, words)}${notes}${said}</div>`;
}

const piles = (groups, legal, words) => groups.map((group) => `
  <section class="gt-pile"><h2>${escape(group.title)}</h2><div class="gt-laid">${group.cards.map((card) => drawCard(card, legal, words)).join("")}</div></section>`).join("");

function hand(seat, legal, words) {
  if (!seat.cards.length) return "";
  return seat.cards[0].is_up ? fan(seat.cards, legal, words) : backs(seat.cards, words);
}

// Return the others with the middle, and the viewer's own place.
export function drawSeats(table, dice, legal, words) {
  const [first, ...rest] = table.seats;
  const all = first.is_own ? rest : table.seats;
  const sides = SIDES[all.length] || all.map((_, i) => (i === 0 ? "left" : i === all.length - 1 ? "right" : "top"));
  // A card of another may have the same name as one's own.
  const places = all.map((seat, i) => `<section class="gt-seat is-${sides[i]}" data-role="${escape(seat.role)}">
      ${about(seat, words)}${hand(seat, new Set(), words)}${piles(seat.piles, legal, words)}</section>`);
  const trick = [...all.map((seat, i) => [seat, sides[i]]), ...(first.is_own ? [[first, "bottom"]] : [])]
    .filter(([seat]) => seat.played.length)
    .map(([seat, side]) => `<figure class="gt-played is-${side}">${seat.played.map((card) => drawCard(card, new Set(), words)).join("")}<figcaption>${escape(seat.name)}</figcaption></figure>`);
  const notes = table.notes.map((note) => `<span class="gt-note">${escape(note)}</span>`).join("");
  const pot = table.money > 0 ? `<div class="gt-pot">${escape(words.pot)} ${money(table.money, words)}</div>` : "";
  // Without cards less room is needed.
  const isBare = !table.piles.length && table.seats.every((seat) => !seat.cards.length && !seat.played.length && !seat.piles.length);
  const others = `<div class="gt-felt${isBare ? " is-bare" : ""}" data-seats="${all.length}">${places.join("")}
    <div class="gt-middle">${dice.length ? `<div class="gt-dice">${drawDice(dice)}</div>` : ""}<div class="gt-trick">${trick.join("")}</div>${piles(table.piles, new Set(), words)}${pot}<div class="gt-notes">${notes}</div></div></div>`;
  const own = first.is_own ? `<section class="gt-seat is-own">${about(first, words)}${hand(first, legal, words)}${piles(first.piles, legal, words)}</section>` : "";
  return { others, own };
}
