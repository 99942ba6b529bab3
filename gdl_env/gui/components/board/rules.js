// The rules of a game beside its board: what its author says of it, then the text, with the rules that fired marked.
import { escape } from "./escape.js";

// rules: {intro, lines}, or null to close it.
export function drawRules(part, rules, words) {
  part.hidden = !rules;
  if (!rules) return;
  part.innerHTML = `<h2>${escape(words.rules)}</h2>${rules.intro ? `<p class="gt-intro">${escape(rules.intro)}</p>` : ""}
    <ol tabindex="0" aria-label="${escape(words.rules)}">${rules.lines.map((line) => `<li><code>${escape(line) || " "}</code></li>`).join("")}</ol>`;
}

// fired: [[first, last]], lines counted from 1.
export function markRules(part, fired) {
  const lines = part.querySelectorAll("li");
  for (const line of part.querySelectorAll(".is-fired")) line.classList.remove("is-fired");
  for (const [first, last] of fired) for (let i = first; i <= last; i++) if (lines[i - 1]) lines[i - 1].classList.add("is-fired");
  const list = part.querySelector("ol"), shown = part.querySelector(".is-fired");
  if (shown) list.scrollTop = shown.offsetTop - list.offsetTop - 24;
}
