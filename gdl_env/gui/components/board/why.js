// Why a move is illegal: the rules that could allow it, the literals that fail, and their lines.
import { escape } from "./escape.js";

const drawLiteral = (literal) => `<li><b>✗</b> <code>${escape(literal.text)}</code> does not hold <small>line ${literal.line}</small>
  ${literal.because.length ? `<div class="gt-because">because ${literal.because.map((fact) => `<code>${escape(fact)}</code>`).join(", ")}</div>` : ""}
  ${literal.rules.length ? `<details${literal.isOpen ? " open" : ""}><summary>why?</summary>${drawRules(literal.rules)}</details>` : ""}</li>`;

const drawRules = (rules) => rules.map((rule) => `
  <div class="gt-rule"><code>${escape(rule.head)}</code><small>line ${rule.line}</small>
  <ul>${rule.literals.map(drawLiteral).join("")}</ul></div>`).join("");

// answer: {title, rules: [{head, line, literals: [{text, line, because, rules}]}], note}
export function drawWhy(part, answer) {
  part.innerHTML = `<header><h2>${escape(answer.title)}</h2><button type="button" aria-label="close">✕</button></header>
    ${drawRules(answer.rules || [])}${answer.note ? `<p>${escape(answer.note)}</p>` : ""}`;
  part.hidden = false;
}
