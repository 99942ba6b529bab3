// Why a move is illegal: the rules that could allow it, the literals that fail, and their lines.
import { escape } from "./escape.js";

const line = (number, words) => `<small>${escape(words.line.replace("{number}", number))}</small>`;

const drawLiteral = (literal, words) => `<li><b>✗</b> <code>${escape(literal.text)}</code> ${escape(words.fails)} ${line(literal.line, words)}
  ${literal.because.length ? `<div class="gt-because">${escape(words.because)} ${literal.because.map((fact) => `<code>${escape(fact)}</code>`).join(", ")}</div>` : ""}
  ${literal.rules.length ? `<details${literal.isOpen ? " open" : ""}><summary>${escape(words.why_not)}</summary>${drawRules(literal.rules, words)}</details>` : ""}</li>`;

const drawRules = (rules, words) => rules.map((rule) => `
  <div class="gt-rule"><code>${escape(rule.head)}</code>${line(rule.line, words)}
  <ul>${rule.literals.map((literal) => drawLiteral(literal, words)).join("")}</ul></div>`).join("");

// answer: {title, rules: [{head, line, literals: [{text, line, because, rules}]}], note}
export function drawWhy(part, answer, words) {
  part.innerHTML = `<header><h2>${escape(answer.title)}</h2><button type="button" aria-label="${escape(words.close)}">✕</button></header>
    ${drawRules(answer.rules || [], words)}${answer.note ? `<p>${escape(answer.note)}</p>` : ""}`;
  part.hidden = false;
}
