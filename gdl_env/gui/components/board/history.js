// The list of moves of a game: numbered, in the colours of those who moved; branches that were left in brackets.
import { escape } from "./escape.js";

function drawEntry(entry, place, colours, words) {
  const moves = entry.words.map(([role, text]) => role === "chance" && !text
    ? `<em>${escape(words.chance)}</em>`
    : `<i style="background:${escape(colours[role] || "#888")}"></i>${escape(text)}`).join(" ");
  const said = entry.words.map(([role, text]) => `${role} ${text}`).join(", ");
  const label = place ? words.move_number.replace("{number}", place).replace("{moves}", said) : words.beginning;
  return `<li class="${entry.isUndone ? "is-undone" : ""}"><button type="button" data-number="${entry.number}"
    aria-label="${escape(label)}${entry.isUndone ? `, ${escape(words.taken_back)}` : ""}">${place ? `<small>${place}</small>${moves}` : escape(words.start)}</button></li>`;
}

// Entries: {number, words: [[role, text]], isUndone}; the first one is the beginning.
export function drawHistory(list, entries, current, colours, words) {
  let place = -1, branch = -1;
  const html = entries.map((entry) => {
    if (!entry.isUndone) branch = place += 1;
    else branch += 1;
    return drawEntry(entry, entry.isUndone ? branch : place, colours, words);
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
