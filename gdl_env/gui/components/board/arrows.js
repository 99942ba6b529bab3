// Arrows and rings over a board: those a visitor draws, the last move, the best moves of an analysis.
const HEAD = 34, WIDE = 15, SHORT = 26;

// From the middle of one square to that of another, with a head; kind is its colour.
function arrow([x, y], [u, v], kind, strength) {
  const length = Math.hypot(u - x, v - y) || 1;
  const [a, b] = [(u - x) / length, (v - y) / length];
  const [endX, endY] = [u - a * SHORT / 2, v - b * SHORT / 2], [neckX, neckY] = [endX - a * HEAD, endY - b * HEAD];
  const at = (...numbers) => numbers.map((n) => n.toFixed(1)).join(" ");
  return `<g class="gt-arrow is-${kind}" style="opacity:${strength}"><path d="M${at(x + a * SHORT, y + b * SHORT)}L${at(neckX, neckY)}" stroke-width="${WIDE}"/>
    <path d="M${at(endX, endY)}L${at(neckX - b * HEAD * 0.62, neckY + a * HEAD * 0.62)}L${at(neckX + b * HEAD * 0.62, neckY - a * HEAD * 0.62)}z" class="gt-head"/></g>`;
}

// arrows: [{from, to, kind, strength}], squares as "row,column"; without a start it is a ring.
export function drawArrows(part, arrows, centre) {
  const html = arrows.map(({ from, to, kind, strength = 0.75 }) => (from && from !== to
    ? arrow(centre(from), centre(to), kind, strength)
    : `<circle cx="${centre(to)[0]}" cy="${centre(to)[1]}" r="44" class="gt-ring is-${kind}" style="opacity:${strength}"/>`)).join("");
  if (part.gtHtml !== html) { part.gtHtml = html; part.innerHTML = html; }
}

// Drawn once, an arrow is there; drawn again, it is gone.
export function toggleArrow(arrows, arrow) {
  const isSame = (one) => one.board === arrow.board && one.from === arrow.from && one.to === arrow.to;
  return arrows.some(isSame) ? arrows.filter((one) => !isSame(one)) : [...arrows, arrow];
}
