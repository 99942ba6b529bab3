// The list of moves of a game: numbered, in the colours of those who moved; branches that were left in brackets.
import { escape } from "./escape.js";

function drawEntry(entry, place, colours) {
  const words = entry.words.map(([role, text]) => role === "chance" && !text
    ? `<em>chance</em>`
    : `<i style="background:${escape(colours[role] || "#888")}"></i>${escape(text)}`).join(" ");
  const said = entry.words.map(([role, text]) => `${role} ${text}`).join(", ");
  return `<li class="${entry.isUndone ? "is-undone" : ""}"><button type="button" data-number="${entry.number}"
    aria-label="${place ? `move ${place}: ${escape(said)}` : "the beginning"}${entry.isUndone ? ", taken back" : ""}">${place ? `<small>${place}</small>${words}` : "start"}</button></li>`;
}

// Entries: {number, words: [[role, text]], isUndone}; the first one is the beginning.
export function drawHistory(list, entries, current, colours) {
  let place = -1, branch = -1;
  const html = entries.map((entry) => {
    if (!entry.isUndone) branch = place += 1;
    else branch += 1;
    return drawEntry(entry, entry.isUndone ? branch : place, colours);
  }).join("");
  if (list.gtHtml !== html) { list.gtHtml = html; list.innerHTML = html; }
  const shown = current === null ? entries.filter((e) => !e.isUndone).at(-1)?.number : current;
  for (const button of list.querySelectorAll("button")) {
    const isHere = Number(button.dataset.number) === shown;
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
