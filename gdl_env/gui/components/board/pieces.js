// Pieces as SVG, in a box of 100 by 100.
import { escape } from "./escape.js";

const FIGURES = {
  pawn: `<circle cx="50" cy="31" r="13"/><path d="M37 45h26l-5 6c1 11 4 17 10 25H32c6-8 9-14 10-25z"/><path d="M26 76h48v10H26z"/>`,
  rook: `<path d="M29 18h10v8h7v-8h8v8h7v-8h10v19l-8 7v24l6 8H31l6-8V44l-8-7z"/><path d="M25 76h50v10H25z"/>`,
  bishop: `<circle cx="50" cy="16" r="6"/><path d="M50 22c19 13 19 30 9 38l4 16H37l4-16c-10-8-10-25 9-38z"/><path d="M50 33v14M43 40h14" class="gt-cut"/><path d="M26 76h48v10H26z"/>`,
  knight: `<path d="M33 76c0-16 13-19 14-31-6 5-9 9-16 9-5-1-8-6-6-11l15-20-1-11 9 7c18 2 27 21 23 57z"/><circle cx="43" cy="31" r="2.6" class="gt-eye"/><path d="M26 76h48v10H26z"/>`,
  queen: `<path d="M24 32l11 25 2-32 10 29 3-34 3 34 10-29 2 32 11-25-7 44H31z"/><circle cx="24" cy="29" r="5"/><circle cx="37" cy="22" r="5"/><circle cx="50" cy="17" r="5"/><circle cx="63" cy="22" r="5"/><circle cx="76" cy="29" r="5"/><path d="M27 76h46v10H27z"/>`,
  king: `<path d="M46 8h8v7h7v8h-7v9h-8v-9h-7v-8h7z"/><path d="M50 33c10-7 29-1 25 15-2 9-9 15-10 28H35c-1-13-8-19-10-28-4-16 15-22 25-15z"/><path d="M50 34v40" class="gt-cut"/><path d="M27 76h46v10H27z"/>`,
};

// A word on a tile: in one line or two, as large as it fits, and never cut.
function tile(piece, paint) {
  const parts = String(piece.text).split(" ");
  let lines = [parts.join(" ")];
  if (parts.length > 1 && lines[0].length > 6) {
    const half = Math.ceil(parts.length / 2);
    lines = [parts.slice(0, half).join(" "), parts.slice(half).join(" ")];
  }
  const longest = Math.max(1, ...lines.map((line) => line.length));
  const size = Math.min(50, 122 / longest, 64 / lines.length);
  const text = lines.map((line, i) => `<text x="50" y="${(51 + (i - (lines.length - 1) / 2) * size * 1.1).toFixed(1)}" font-size="${size.toFixed(1)}" font-weight="600" text-anchor="middle" dominant-baseline="central" fill="#fff">${escape(line)}</text>`).join("");
  return `<rect x="8" y="8" width="84" height="84" rx="16" ${paint} stroke-width="3"/>${text}`;
}

export function drawPiece(piece, scale = 1) {
  const paint = `fill="${escape(piece.fill)}" stroke="${escape(piece.edge)}"`;
  const inner = {
    cross: () => `<path d="M24 24L76 76M76 24L24 76" fill="none" stroke="${escape(piece.fill)}" stroke-width="13" stroke-linecap="round"/>`,
    ring: () => `<circle cx="50" cy="50" r="28" fill="none" stroke="${escape(piece.fill)}" stroke-width="12"/>`,
    disc: () => `<circle cx="50" cy="50" r="38" ${paint} stroke-width="3"/><circle cx="50" cy="50" r="27" fill="none" stroke="${escape(piece.edge)}" stroke-opacity=".35" stroke-width="3"/>`,
    stone: () => `<circle cx="50" cy="50" r="42" ${paint} stroke-width="2"/>`,
    king: () => `<circle cx="50" cy="50" r="38" ${paint} stroke-width="3"/><path d="M28 62l-4-26 14 11 12-19 12 19 14-11-4 26z" fill="#f3c32c" stroke="#7a5c08" stroke-width="3" stroke-linejoin="round"/>`,
    chess: () => `<g ${paint} stroke-width="3.2" stroke-linejoin="round" style="--edge:${escape(piece.edge)}" class="gt-figure ${piece.fill < "#8" ? "is-dark" : ""}">${FIGURES[piece.text] || FIGURES.pawn}</g>`,
    wall: () => `<rect x="4" y="4" width="92" height="92" rx="6" ${paint} stroke-width="4"/><path d="M4 36h92M4 66h92M36 4v32M66 36v30M36 66v30" stroke="${escape(piece.edge)}" stroke-width="4"/>`,
    glyph: () => `<text x="50" y="54" font-size="72" text-anchor="middle" dominant-baseline="central" fill="${escape(piece.fill)}" stroke="${escape(piece.edge)}" stroke-width="1.5">${escape(piece.text)}</text>`,
    // As an image, in which no script runs and nothing is loaded: view files may come from others.
    svg: () => `<image width="100" height="100" href="data:image/svg+xml,${escape(encodeURIComponent(
      `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 100 100"><g ${paint} stroke-width="3">${piece.text}</g></svg>`))}"/>`,
    box: () => `<rect x="12" y="12" width="76" height="76" rx="5" fill="#c8883c" stroke="#7a4a14" stroke-width="4"/><path d="M14 14l72 72M86 14L14 86" stroke="#7a4a14" stroke-width="7"/><rect x="20" y="20" width="60" height="60" fill="none" stroke="#7a4a14" stroke-width="4"/>`,
    target: () => `<circle cx="50" cy="50" r="26" fill="none" stroke="#d8382f" stroke-width="7"/><circle cx="50" cy="50" r="10" fill="#d8382f"/>`,
    person: () => `<circle cx="50" cy="30" r="16" fill="#f2c9a0" stroke="#5a3a1a" stroke-width="3"/><path d="M24 88c0-26 10-38 26-38s26 12 26 38z" ${paint} stroke-width="3"/>`,
    hole: () => `<ellipse cx="50" cy="54" rx="38" ry="32" fill="#1d1a17" stroke="#4b4640" stroke-width="5"/>`,
    exit: () => `<rect x="24" y="12" width="52" height="76" rx="3" fill="#7fc08f" stroke="#2d6b3d" stroke-width="5"/><circle cx="64" cy="52" r="5" fill="#2d6b3d"/>`,
    bike: () => `<g transform="rotate(${Number(piece.turn) || 0} 50 50)"><path d="M50 6L84 90 50 72 16 90z" ${paint} stroke-width="6" stroke-linejoin="round"/></g>`,
    object: () => `<rect x="8" y="30" width="84" height="40" rx="18" ${paint} stroke-width="4"/>`,
    tile: () => tile(piece, paint),
  };
  const content = (inner[piece.kind] || inner.tile)();
  return scale === 1 ? content : `<g transform="translate(${50 - 50 * scale} ${50 - 50 * scale}) scale(${scale})">${content}</g>`;
}

export function drawPieces(pieces) {
  if (pieces.length === 1) return drawPiece(pieces[0]);
  // A plain tile is the ground of what stands on it.
  const isGround = (piece) => piece.kind === "tile" && !piece.text.trim();
  const floor = pieces.filter(isGround), rest = pieces.filter((piece) => !isGround(piece));
  if (floor.length && rest.length) return drawPieces(floor) + drawPieces(rest);
  // Several on one square: the first is large, the others are small, in the corners.
  const corners = [[52, 52], [0, 52], [52, 0], [0, 0]];
  return drawPiece(pieces[0]) + pieces.slice(1, 5).map((piece, i) =>
    `<g transform="translate(${corners[i][0]} ${corners[i][1]}) scale(.48)">${drawPiece(piece)}</g>`).join("");
}

// What stands on a square, in words: five white ones are not said one by one.
export function sayPieces(pieces) {
  const counts = new Map();
  for (const { label } of pieces) counts.set(label, (counts.get(label) || 0) + 1);
  return [...counts].map(([label, count]) => (count > 1 ? `${count} ${label}` : label)).join(", ");
}
