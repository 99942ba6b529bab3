// Pieces slide from where they stood to where they stand now; nothing moves where visitors prefer that.
const SLIDE = 200, APPEAR = 130; // [ms]
// More changes at once are another position, not a move.
const MOST = 12;

export const isStill = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

// How often each piece stands on a square; the plain ground does not move.
function tally(pieces) {
  const counts = new Map();
  for (const piece of pieces || []) {
    if (piece.kind === "tile" && !piece.text.trim()) continue;
    const name = `${piece.label}\n${piece.fill}`;
    counts.set(name, (counts.get(name) || 0) + 1);
  }
  return counts;
}

// What differs between two positions: [{key, from}] for each piece that came; from is "" where it stood nowhere.
export function findSlides(before, now, isLast) {
  const gone = [], came = [];
  for (const key of new Set([...Object.keys(before), ...Object.keys(now)])) {
    const then = tally(before[key]), here = tally(now[key]);
    for (const name of new Set([...then.keys(), ...here.keys()])) {
      const change = (here.get(name) || 0) - (then.get(name) || 0);
      if (change) (change > 0 ? came : gone).push({ key, name });
    }
  }
  if (came.length > MOST) return [];
  const distance = (a, b) => Math.hypot(...a.split(",").map((n, i) => n - b.split(",")[i]));
  const take = (piece, isSame) => {
    const found = gone.filter((old) => old.key !== piece.key && isSame(old.name, piece.name))
      .sort((a, b) => isLast(b.key) - isLast(a.key) || distance(a.key, piece.key) - distance(b.key, piece.key))[0];
    if (found) gone.splice(gone.indexOf(found), 1);
    return found ? found.key : "";
  };
  const colour = (name) => name.split("\n")[1];
  for (const piece of came) piece.from = take(piece, (a, b) => a === b);
  // What was promoted keeps its colour.
  for (const piece of came) piece.from = piece.from || take(piece, (a, b) => colour(a) === colour(b));
  return came;
}

// element: of the piece; [x, y]: where it comes from, seen from where it is.
export function slide(element, [x, y], length = SLIDE) {
  element.parentNode.parentNode.append(element.parentNode);
  element.animate([{ transform: `translate(${x}px, ${y}px)` }, { transform: "none" }], { duration: length, easing: "ease-out" });
}

export function appear(element) {
  element.animate([{ opacity: 0 }, { opacity: 1 }], { duration: APPEAR });
}
