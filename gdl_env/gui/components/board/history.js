// The list of moves of a game: numbered, in the colours of those who moved. What was taken back is struck out;
// what was tried beside the game is a list of its own, below the move that it replaces.
import { escape } from "./escape.js";

function drawEntry(entry, place, colours, words) {
  const moves = entry.words.map(([role, text]) => role === "chance" && !text
    ? `<em>${escape(words.chance)}</em>`
    : `<i style="background:${escape(colours[role] || "#888")}"></i>${escape(text)}`).join(" ");
  const said = entry.words.map(([role, text]) => `${role} ${text}`.trim()).join(", ");
  const label = place ? words.move_number.replace("{number}", place).replace("{moves}", said) : words.beginning;
  return `<li class="${entry.isUndone ? "is-undone" : ""}"><button type="button" data-number="${entry.number}"
    aria-label="${escape(label)}${entry.isUndone ? `, ${escape(words.taken_back)}` : ""}">${place ? `<small>${place}</small>${moves}` : escape(words.start)}</button></li>`;
}

// The entries of a tree know their places, and how often a line was left to come there.
function drawTree(entries, colours, words) {
  const label = escape(words.branch), open = `<li class="gt-branch"><ol aria-label="${label}">`, close = "</ol></li>";
  const places = [-1]; // the last place of each line that is open
  let html = "";
  for (const entry of entries) {
    for (; places.length > entry.depth + 1; places.pop()) html += close;
    if (places.length === entry.depth) { html += open; places.push(entry.place); }
    else if (entry.place !== places.at(-1) + 1) html += close + open;
    places[places.length - 1] = entry.place;
    html += drawEntry(entry, entry.place, colours, words);
  }
  return html + close.repeat(places.length - 1);
}

function drawLine(entries, colours, words) {
  let place = -1, branch = -1;
  return entries.map((entry) => {
    if (!entry.isUndone) branch = place += 1;
    else branch += 1;
    return drawEntry(entry, entry.isUndone ? branch : place, colours, words);
  }).join("");
}

// Entries: {number, words: [[role, text]], isUndone}, of a tree also {place, depth}; the first one is the beginning.
export function drawHistory(list, entries, current, colours, words) {
  const html = entries.length && "depth" in entries[0] ? drawTree(entries, colours, words) : drawLine(entries, colours, words);
  if (list.gtHtml !== html) { list.gtHtml = html; list.innerHTML = html; }
  const shown = current === null ? entries.filter((e) => !e.isUndone).at(-1)?.number : current;
  const hasBranches = list.querySelector(".gt-branch") !== null;
  for (const button of list.querySelectorAll("button")) {
    const isHere = Number(button.dataset.number) === shown;
    // One stop of the tab key, however long the game: arrows lead from move to move, but not between branches.
    button.tabIndex = isHere || hasBranches ? 0 : -1;
    if (isHere) button.setAttribute("aria-current", "step"); else button.removeAttribute("aria-current");
    // Not scrollIntoView, which would move the page, too.
    if (isHere && list.gtShown !== shown) {
      list.gtShown = shown;
      const box = button.getBoundingClientRect(), frame = list.getBoundingClientRect();
      if (box.bottom > frame.bottom) list.scrollTop += box.bottom - frame.bottom + 4;
      if (box.top < frame.top) list.scrollTop -= frame.top - box.top + 4;
    }
  }
}
