// Boards and pieces as SVG. A square has a side of 100.
import { escape } from "./escape.js";
import { SPECIAL, cellSize, placeSpecial, specialGround, specialLabels, specialLines, stackAt } from "./special.js";
export { drawDice, drawSeats } from "./cards.js";
export { escape } from "./escape.js";

// Of a board of eight squares; labels are as large beside any board.
const MARGIN = 42, LABEL = 26;
const ROOT3 = Math.sqrt(3);
export { drawHistory } from "./history.js";
export { factsHtml, groupsHtml, playersHtml } from "./panels.js";
export { lightLine, putBeside } from "./pointing.js";
export { drawStudy } from "./study.js";
export { drawWhy } from "./why.js";
export { isSoundOn, playSound, switchSound } from "./sound.js";

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

function drawPiece(piece, scale = 1) {
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

function drawPieces(pieces) {
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

// Where discs fall, or sides are to be reached, there is one way round.
export const canReverse = (board) =>
  !["hex", "holes"].includes(board.style) && !SPECIAL.has(board.style) && !Object.keys(board.sides || {}).length;

// Where things are: the box of the board and the corner of each square.
function place(board, isReversed = false) {
  const wide = board.columns.length, high = board.rows.length;
  if (SPECIAL.has(board.style)) return placeSpecial(board);
  if (board.style !== "hex") {
    const at = isReversed ? (r, c) => [(wide - 1 - c) * 100, (high - 1 - r) * 100] : (r, c) => [c * 100, r * 100];
    return { width: wide * 100, height: high * 100, at };
  }
  const step = 100, rise = step * ROOT3 / 2;
  return {
    width: wide * step + (high - 1) * step / 2,
    height: (high - 1) * rise + step * 2 / ROOT3,
    at: (r, c) => [c * step + r * step / 2, r * rise + (step * 2 / ROOT3 - 100) / 2],
  };
}

// From the lower right one, clockwise.
const CORNERS = [...Array(6).keys()].map((i) => {
  const angle = Math.PI / 3 * i + Math.PI / 6, radius = 100 / ROOT3;
  return [50 + radius * Math.cos(angle), 50 + radius * Math.sin(angle)];
});
const HEXAGON = CORNERS.map((corner) => corner.map((n) => n.toFixed(1)).join()).join(" ");

// The corners of a board's squares along one of its sides.
export function outline(board, side) {
  const { at } = place(board);
  const isHex = board.style === "hex", last = { row: board.rows.length - 1, column: board.columns.length - 1 };
  const corners = isHex ? CORNERS : [[100, 100], [0, 100], [0, 0], [100, 0]];
  const [count, square, hexagonal, straight] = {
    top: [last.column, (i) => [0, i], [3, 4, 5], [2, 3]],
    bottom: [last.column, (i) => [last.row, i], [2, 1, 0], [1, 0]],
    left: [last.row, (i) => [i, 0], [3, 2, 1], [2, 1]],
    right: [last.row, (i) => [i, last.column], [4, 5, 0], [3, 0]],
  }[side];
  const points = [];
  for (let i = 0; i <= count; i++) {
    const [x, y] = at(...square(i));
    for (const corner of isHex ? hexagonal : straight) points.push([x + corners[corner][0], y + corners[corner][1]]);
  }
  // At two of its corners a board of hexagons has a piece of border that belongs to top and bottom.
  if (isHex && side === "left") points.pop();
  if (isHex && side === "right") points.shift();
  return points;
}

function drawSides(board, unit) {
  return Object.entries(board.sides || {}).map(([side, colour]) => {
    const points = outline(board, side).map((point) => point.map((n) => n.toFixed(1)).join()).join(" ");
    return `<polyline points="${points}" class="gt-edge" data-side="${side}" style="stroke:${escape(colour)};stroke-width:${(10 * unit).toFixed(1)}"/>`;
  }).join("");
}

function ground(board, r, c) {
  const isDark = (r + c) % 2 === (board.is_turned ? 0 : 1);
  const colour = isDark ? board.dark : board.light;
  const style = colour ? ` style="fill:${escape(colour)}"` : "";
  const kind = `gt-ground is-${board.style} ${isDark ? "is-odd" : "is-even"}`;
  if (SPECIAL.has(board.style)) return specialGround(board, r, c, kind);
  if (board.style === "hex") return `<polygon points="${HEXAGON}" class="${kind}"${style}/>`;
  if (board.style === "holes") return `<rect width="100" height="100" class="${kind}"${style}/><circle cx="50" cy="50" r="40" class="gt-hole"/>`;
  return `<rect width="100" height="100" class="${kind}"${style}/>`;
}

// What lies on the ground of a square, below its piece.
function overlay(board, number, key, here, { marks, heat, cursor, last, won }) {
  const mark = marks[key] || "";
  const warmth = heat[`${number}:${key}`];
  const [r, c] = key.split(",").map(Number);
  const isCursor = cursor && cursor.board === number && cursor.row === r && cursor.column === c;
  const [wide, high] = cellSize(board);
  const shape = (cls, style = "") => board.style === "hex"
    ? `<polygon points="${HEXAGON}" class="${cls}" style="${style}"/>`
    : `<rect width="${wide}" height="${high}" class="${cls}" style="${style}"/>`;
  const isStack = wide !== high;
  return [
    board.is_hidden && !here.length ? shape("gt-fog", "fill:url(#gt-fog)") : "",
    last.includes(`${number}:${key}`) ? shape("gt-last") : "",
    won.includes(`${number}:${key}`) ? shape("gt-won") : "",
    warmth === undefined ? "" : shape("gt-heat", `opacity:${(0.08 + 0.7 * warmth).toFixed(2)}`),
    mark === "selected" ? shape("gt-selected") : "",
    mark === "from" ? shape("gt-from") : "",
    mark === "target" && isStack ? shape("gt-aim") : "",
    mark === "target" && !isStack ? (here.length ? `<circle cx="50" cy="50" r="44" class="gt-take"/>` : `<circle cx="50" cy="50" r="13" class="gt-dot"/>`) : "",
    mark === "line" ? shape("gt-lineup") : "",
    isCursor ? shape("gt-cursor") : "",
  ].join("");
}

// The ground, once for all states of a board; squares stay the same elements.
function build(frame, board, number, isReversed) {
  const { width, height, at } = place(board, isReversed);
  // Boards without columns have their own measure.
  const unit = SPECIAL.has(board.style) ? 1.2 : height / 800, margin = MARGIN * unit, rim = 6 * unit;
  const isHex = board.style === "hex";
  const squares = [], pieces = [];
  board.rows.forEach((row, r) => board.columns.forEach((column, c) => {
    const key = `${r},${c}`;
    const where = at(r, c).map((n) => n.toFixed(1)).join(" ");
    const name = board.names[key] || `${column} ${row}`.trim();
    squares.push(`<g transform="translate(${where})" role="img" aria-label="${escape(name)}" data-square="${key}" data-board="${number}" data-coordinates="${escape(name)}">${ground(board, r, c)}<g class="gt-over"></g></g>`);
    pieces.push(`<g transform="translate(${where})${isHex ? " translate(8 8) scale(.84)" : ""}"><g class="gt-below"></g><g data-piece="${key}" class="gt-piece"></g></g>`);
  }));
  const lowest = isReversed ? 0 : board.rows.length - 1, leftmost = isReversed ? board.columns.length - 1 : 0;
  const labels = SPECIAL.has(board.style) ? specialLabels(board, escape) : board.columns.map((name, c) =>
    `<text x="${at(lowest, c)[0] + 50}" y="${height + 29 * unit}" font-size="${LABEL * unit}" class="gt-label" text-anchor="middle">${escape(name)}</text>`)
    .concat(board.rows.map((name, r) => {
      const [x, y] = at(r, leftmost);
      return `<text x="${x - 13 * unit}" y="${y + 50 + 9 * unit}" font-size="${LABEL * unit}" class="gt-label" text-anchor="end">${escape(name)}</text>`;
    }));
  frame.innerHTML = `<svg tabindex="0" role="application" data-board="${number}" data-style="${board.style}"
      aria-label="board ${escape(board.name)}: arrow keys move, Enter chooses"
      viewBox="${-margin} ${-8 * unit} ${width + margin + 8 * unit} ${height + margin + 8 * unit}">
    <defs><pattern id="gt-fog" width="16" height="16" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="16" height="16" fill="#8a8f98" fill-opacity=".18"/><rect width="7" height="16" fill="#8a8f98" fill-opacity=".4"/></pattern></defs>
    ${isHex ? "" : `<rect x="${-rim}" y="${-rim}" width="${width + 2 * rim}" height="${height + 2 * rim}" rx="${8 * unit}" class="gt-rim is-${board.style}"/>`}
    ${specialLines(board)}${squares.join("")}${drawSides(board, unit)}<g class="gt-pieces">${pieces.join("")}</g>${labels.join("")}</svg>`;
  frame.style.setProperty("--ratio", (width + margin) / (height + margin));
  const parts = {};
  for (const group of frame.querySelectorAll("g[data-square]")) {
    parts[group.dataset.square] = { group, over: group.lastElementChild, overHtml: "", pieceHtml: "" };
  }
  for (const piece of frame.querySelectorAll("g[data-piece]")) {
    parts[piece.dataset.piece].piece = piece;
    parts[piece.dataset.piece].below = piece.previousElementSibling;
  }
  return parts;
}

// What stands on a square, in words: five white ones are not said one by one.
function sayPieces(pieces) {
  const counts = new Map();
  for (const { label } of pieces) counts.set(label, (counts.get(label) || 0) + 1);
  return [...counts].map(([label, count]) => (count > 1 ? `${count} ${label}` : label)).join(", ");
}

export function drawBoard(frame, board, number, how) {
  const shape = JSON.stringify([number, board.name, board.style, board.columns, board.rows, board.light, board.dark, board.is_turned, board.sides, board.depth, board.nodes, board.edges, how.isReversed]);
  if (frame.gtShape !== shape) {
    frame.gtShape = shape;
    frame.gtParts = build(frame, board, number, how.isReversed);
  }
  for (const [key, part] of Object.entries(frame.gtParts)) {
    const here = board.pieces[key] || [];
    const kind = how.marks[key] ? `gt-square is-${how.marks[key]}` : "gt-square";
    if (part.kind !== kind) { part.kind = kind; part.group.setAttribute("class", kind); }
    const over = overlay(board, number, key, here, how);
    if (part.overHtml !== over) { part.overHtml = over; part.over.innerHTML = over; }
    // Of a stack only the last one is moved.
    const stack = here.length && stackAt(board, key, here.length);
    const below = stack ? here.slice(0, -1).map((piece, i) => `<g transform="translate(${stack(i)})">${drawPiece(piece)}</g>`).join("") : "";
    const html = !here.length ? "" : stack
      ? `<g transform="translate(${stack(here.length - 1)})">${drawPiece(here[here.length - 1])}</g>`
        + (here.length > board.depth ? `<text transform="translate(${stack(here.length - 1)})" x="50" y="53" class="gt-many" text-anchor="middle" dominant-baseline="central">${here.length}</text>` : "")
      : drawPieces(here);
    if (part.belowHtml !== below) { part.belowHtml = below; part.below.innerHTML = below; }
    if (part.pieceHtml !== html) {
      part.pieceHtml = html;
      part.piece.innerHTML = html;
      const what = here.length ? `: ${sayPieces(here)}` : board.is_hidden ? ": unknown" : "";
      part.group.setAttribute("aria-label", part.group.dataset.coordinates + what);
    }
    part.piece.removeAttribute("transform");
    part.piece.classList.remove("is-dragged");
  }
}

export function squareAt(target) {
  const group = target && target.closest && target.closest("[data-square]");
  return group ? { board: Number(group.dataset.board), square: group.dataset.square } : null;
}
