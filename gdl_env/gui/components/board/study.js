// How a position stands: a bar for two players, the moves by their value, a graph over the game.
import { escape } from "./escape.js";
const percent = (value) => `${Math.round(100 * value)} %`;

function drawGraph(points, place, words) {
  if (points.length < 2) return "";
  const wide = 300, high = 60, step = wide / (points.length - 1);
  const known = points.map((share, i) => [i * step, share === null ? null : high * (1 - share)]).filter(([, y]) => y !== null);
  const line = known.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" ");
  const here = place >= 0 && points[place] !== null ? `<path class="gt-here" d="M${(place * step).toFixed(1)} ${(high * (1 - points[place])).toFixed(1)}h0"/>` : "";
  return `<svg class="gt-graph" viewBox="-4 -4 ${wide + 8} ${high + 8}" preserveAspectRatio="none" role="img" aria-label="${escape(words.evaluation_graph)}">
    <path d="M0 ${high / 2}H${wide}"/><polyline points="${line}"/>${here}</svg>`;
}

// What the rating is based on.
function effort(study, words) {
  if (study.visits) return ` · ${escape(words.tries.replace("{count}", study.visits.toLocaleString(document.documentElement.lang || "en")))}`;
  return study.depth ? ` · ${escape(words.depth.replace("{count}", study.depth))}` : "";
}

// study: {source, share, role, isProven, isDone, visits, depth, moves: [{label, value, isShare, isProven}], points, place}
export function drawStudy(part, study, players, words) {
  part.hidden = !study;
  if (!study) return;
  const isTwo = players.length === 2;
  const isRated = study.share !== null;
  const word = isRated ? `${escape(isTwo ? players[0].role : study.role)} ${percent(study.share)}${study.isProven ? `, ${escape(words.proven)}` : ""}`
    : study.moves.length ? "" : escape(study.isDone ? words.unrated : words.rating);
  const bar = !isRated ? "" : `<div class="gt-bar" role="meter" aria-label="${escape(words.evaluation)}" aria-valuemin="0" aria-valuemax="100" aria-valuenow="${Math.round(100 * study.share)}"
    style="background:${isTwo ? escape(players[1].colour) : "var(--gt-line)"}"><div style="width:${(100 * study.share).toFixed(1)}%;background:${isTwo ? escape(players[0].colour) : "var(--gt-accent)"}"></div></div>`;
  const moves = study.moves.map((m) => `<li><span>${escape(m.label)}</span> <small>${m.isShare ? percent(m.value) : m.value.toFixed(2)}${m.isProven ? " ✓" : ""}</small></li>`).join("");
  part.innerHTML = `<h2>${escape(words.analysis)} <small>${escape(study.source)}${word ? ` · ${word}` : ""}${effort(study, words)}</small></h2>${bar}<ol>${moves}</ol>${drawGraph(study.points, study.place, words)}`;
}
