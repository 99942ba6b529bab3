// Boards and pieces as SVG. A square has a side of 100.
import { drawArrows } from "./arrows.js";
import { escape } from "./escape.js";
import { appear, findSlides, slide } from "./motion.js";
import { drawPiece, drawPieces, sayPieces } from "./pieces.js";
import { SPECIAL, cellSize, placeSpecial, specialGround, specialLabels, specialLines, stackAt } from "./special.js";
export { drawDice, drawDomino, drawSeats } from "./cards.js";
export { escape } from "./escape.js";

// Of a board of eight squares; labels are as large beside any board.
const MARGIN = 42, LABEL = 26, FRAME = 26;
const ROOT3 = Math.sqrt(3);
export { choosing } from "./choosing.js";
export { drawHistory } from "./history.js";
export { keyboard } from "./keyboard.js";
export { recall, remember } from "./memory.js";
export { isStill } from "./motion.js";
export { factsHtml, groupsHtml, playersHtml } from "./panels.js";
export { pointer, squareAt } from "./pointer.js";
export { lightLine } from "./pointing.js";
export { drawRules, markRules } from "./rules.js";
export { drawStudy } from "./study.js";
export { drawWhy } from "./why.js";
export { isSoundOn, playSound, switchSound } from "./sound.js";

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
  // The lines of the page would not be seen on a colour of the game's own.
  const style = colour ? ` style="fill:${escape(colour)};stroke:rgba(0,0,0,.42)"` : "";
  const kind = `gt-ground is-${board.style} ${isDark ? "is-odd" : "is-even"}`;
  if (SPECIAL.has(board.style)) return specialGround(board, r, c, kind);
  if (board.style === "hex") return `<polygon points="${HEXAGON}" class="${kind}"${style}/>`;
  if (board.style === "holes") return `<rect width="100" height="100" class="${kind}"${style}/><circle cx="50" cy="50" r="40" class="gt-hole"/>`;
  return `<rect width="100" height="100" class="${kind}"${style}/>`;
}

// What lies on the ground of a square, below its piece.
function overlay(board, number, key, here, { marks, heat, cursor, last, won, planned }) {
  const mark = marks[key] || "";
  const warmth = heat[`${number}:${key}`];
  const [r, c] = key.split(",").map(Number);
  const isCursor = cursor && cursor.board === number && cursor.row === r && cursor.column === c;
  const [wide, high] = cellSize(board);
  const shape = (cls, style = "") => board.style === "hex"
    ? `<polygon points="${HEXAGON}" class="${cls}" style="${style}"/>`
    : `<rect width="${wide}" height="${high}" class="${cls}" style="${style}"/>`;
  const inset = (cls) => board.style === "hex" ? `<polygon points="${HEXAGON}" transform="translate(7 7) scale(.86)" class="${cls}"/>`
    : `<rect x="5" y="5" width="${wide - 10}" height="${high - 10}" rx="9" class="${cls}"/>`;
  const isStack = wide !== high, hasHoles = board.style === "holes";
  // Around a disc in its hole there is a ring.
  const around = (cls) => hasHoles ? `<circle cx="50" cy="50" r="47" class="${cls} is-ring"/>` : shape(cls);
  // Where a disc comes to rest.
  const isLanding = mark === "line" && hasHoles && !here.length && (r === board.rows.length - 1 || (board.pieces[`${r + 1},${c}`] || []).length > 0);
  const dot = `<circle cx="50" cy="50" r="13" class="gt-dot"/>`;
  return [
    board.is_hidden && !here.length ? shape("gt-fog", "fill:url(#gt-fog)") : "",
    last.includes(`${number}:${key}`) ? around("gt-last") : "",
    won.includes(`${number}:${key}`) ? around("gt-won") : "",
    warmth === undefined ? "" : shape("gt-heat", `opacity:${(0.08 + 0.7 * warmth).toFixed(2)}`),
    planned.includes(`${number}:${key}`) ? shape("gt-planned") : "",
    mark === "selected" ? shape("gt-selected") : "",
    mark === "from" ? inset("gt-from") : "",
    mark === "target" && isStack ? shape("gt-aim") : "",
    mark === "target" && !isStack ? (here.length ? `<circle cx="50" cy="50" r="44" class="gt-take"/>` : dot) : "",
    mark === "line" ? shape("gt-lineup") : "",
    isLanding ? dot : "",
    isCursor ? shape("gt-cursor") : "",
  ].join("");
}

// The ground, once for all states of a board; squares stay the same elements.
function build(frame, board, number, { isReversed, words }) {
  const { width, height, at } = place(board, isReversed);
  // Boards without columns have their own measure.
  const unit = SPECIAL.has(board.style) ? 1.2 : height / 800, isFramed = board.style === "points";
  // A frame of its own is drawn around points, and their numbers stand between the sides.
  const margin = isFramed ? FRAME : MARGIN * unit, edge = isFramed ? FRAME : 8 * unit, rim = isFramed ? FRAME / 2 : 6 * unit;
  const isHex = board.style === "hex";
  const title = words ? words.board.replace("{name}", board.name) : board.name;
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
      aria-label="${escape(title)}"
      viewBox="${-margin} ${-edge} ${width + margin + edge} ${height + margin + edge}">
    <defs><pattern id="gt-fog" width="16" height="16" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="16" height="16" fill="#8a8f98" fill-opacity=".18"/><rect width="7" height="16" fill="#8a8f98" fill-opacity=".4"/></pattern></defs>
    ${isHex ? "" : `<rect x="${-rim}" y="${-rim}" width="${width + 2 * rim}" height="${height + 2 * rim}" rx="${8 * unit}" class="gt-rim is-${board.style}"/>`}
    ${specialLines(board)}${squares.join("")}${drawSides(board, unit)}<g class="gt-pieces">${pieces.join("")}</g>${labels.join("")}<g class="gt-arrows"></g></svg>`;
  const [wide, high] = cellSize(board);
  frame.gtAt = (key) => at(...key.split(",").map(Number));
  frame.gtCentre = (key) => frame.gtAt(key).map((n, i) => n + [wide, high][i] / 2);
  frame.gtArrows = frame.querySelector(".gt-arrows");
  frame.gtScale = isHex ? 0.84 : 1;
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

// A board as a picture alone: nothing in it can be chosen or is said.
export function sketchBoard(board) {
  const { width, height, at } = place(board);
  const isHex = board.style === "hex", unit = SPECIAL.has(board.style) ? 1.2 : height / 800, rim = 6 * unit;
  const squares = [], pieces = [];
  board.rows.forEach((row, r) => board.columns.forEach((column, c) => {
    const where = at(r, c).map((n) => n.toFixed(1)).join(" "), here = board.pieces[`${r},${c}`] || [];
    const fog = board.is_hidden && !here.length ? `<rect width="100" height="100" fill="#8a8f98" fill-opacity=".3"/>` : "";
    squares.push(`<g transform="translate(${where})">${ground(board, r, c)}${fog}</g>`);
    if (here.length) pieces.push(`<g transform="translate(${where})${isHex ? " translate(8 8) scale(.84)" : ""}">${drawStanding(board, `${r},${c}`, here).join("")}</g>`);
  }));
  const frame = isHex ? "" : `<rect x="${-rim}" y="${-rim}" width="${width + 2 * rim}" height="${height + 2 * rim}" rx="${8 * unit}" class="gt-rim is-${board.style}"/>`;
  return `<svg data-style="${board.style}" viewBox="${-8 * unit} ${-8 * unit} ${width + 16 * unit} ${height + 16 * unit}">${frame}${specialLines(board)}${squares.join("")}${drawSides(board, unit)}${pieces.join("")}</svg>`;
}

// What a square shows of its pieces: those that stay, and the one on top, which is moved.
function drawStanding(board, key, here) {
  const stack = here.length && stackAt(board, key, here.length);
  if (!stack) return ["", here.length ? drawPieces(here) : ""];
  const put = (piece, i) => `<g transform="translate(${stack(i)})">${drawPiece(piece)}</g>`;
  const top = here.length - 1;
  const many = here.length > board.depth
    ? `<text transform="translate(${stack(top)})" x="50" y="53" class="gt-many" text-anchor="middle" dominant-baseline="central">${here.length}</text>` : "";
  return [here.slice(0, -1).map(put).join(""), put(here[top], top) + many];
}

// Where the piece on top of a square is.
function topOf(frame, board, key, count) {
  const [x, y] = frame.gtAt(key);
  const stack = stackAt(board, key, Math.max(1, count));
  return [x, y + (stack ? Number(stack(Math.max(0, count - 1)).split(" ")[1]) : 0)];
}

// A piece that was let go of stays on its new square until the position is known.
function carry(frame, { square, target }) {
  const [[x, y], [u, v]] = [frame.gtAt(square), frame.gtAt(target)];
  return `translate(${(u - x) / frame.gtScale} ${(v - y) / frame.gtScale})`;
}

// Let pieces slide to where they are now; `dropped` is a square to which one was carried.
function movePieces(frame, board, number, before, how) {
  for (const { key, from } of findSlides(before, board.pieces, (one) => how.last.includes(`${number}:${one}`))) {
    const { piece } = frame.gtParts[key] || {};
    if (!piece || `${number}:${key}` === how.dropped) continue;
    const [x, y] = topOf(frame, board, key, (board.pieces[key] || []).length);
    if (from) {
      const [u, v] = topOf(frame, board, from, (before[from] || []).length);
      slide(piece, [(u - x) / frame.gtScale, (v - y) / frame.gtScale]);
    } else if (board.style === "holes") slide(piece, [0, -y - 100], 150 + y / 3);
    else appear(piece);
  }
}

// What is shown on a board besides its pieces, as long as nothing else is asked for.
const BARE = { marks: {}, heat: {}, cursor: null, last: [], won: [], planned: [], arrows: [], carried: null, isReversed: false };

export function drawBoard(frame, board, number, asked) {
  const how = { ...BARE, ...asked };
  const shape = JSON.stringify([number, board.name, board.style, board.columns, board.rows, board.light, board.dark, board.is_turned, board.sides, board.depth, board.nodes, board.edges, how.isReversed]);
  const isNew = frame.gtShape !== shape;
  if (isNew) {
    frame.gtShape = shape;
    frame.gtParts = build(frame, board, number, how);
  }
  for (const [key, part] of Object.entries(frame.gtParts)) {
    const here = board.pieces[key] || [];
    const kind = how.marks[key] ? `gt-square is-${how.marks[key]}` : "gt-square";
    if (part.kind !== kind) { part.kind = kind; part.group.setAttribute("class", kind); }
    const over = overlay(board, number, key, here, how);
    if (part.overHtml !== over) { part.overHtml = over; part.over.innerHTML = over; }
    const [below, html] = drawStanding(board, key, here);
    if (part.belowHtml !== below) { part.belowHtml = below; part.below.innerHTML = below; }
    if (part.pieceHtml !== html) {
      part.pieceHtml = html;
      part.piece.innerHTML = html;
      const what = here.length ? `: ${sayPieces(here)}` : board.is_hidden ? ": unknown" : "";
      part.group.setAttribute("aria-label", part.group.dataset.coordinates + what);
    }
    const isCarried = how.carried && how.carried.board === number && how.carried.square === key;
    if (isCarried) part.piece.setAttribute("transform", carry(frame, how.carried));
    else if (part.piece.hasAttribute("transform")) part.piece.removeAttribute("transform");
    part.piece.classList.remove("is-dragged");
  }
  if (how.isMoving && !isNew && frame.gtPieces) movePieces(frame, board, number, frame.gtPieces, how);
  frame.gtPieces = board.pieces;
  drawArrows(frame.gtArrows, how.arrows.filter((one) => one.board === number), frame.gtCentre);
}
