// Boards without rows and columns: points with stacks, stacks side by side, places and lines.
export const SPECIAL = new Set(["points", "stacks", "graph"]);
const WIDE = 100, DEEP = 500, GAP = 90;

// The side of a piece is 100 on all boards.
export function cellSize(board) {
  if (board.style === "points") return [WIDE, DEEP];
  if (board.style === "stacks") return [WIDE, stackHeight(board)];
  return [100, 100];
}

const stackStep = (board) => (board.depth > 8 ? 50 : 56);
const stackHeight = (board) => 100 + Math.max(0, board.depth - 1) * stackStep(board);

export function placeSpecial(board) {
  const [wide, high] = cellSize(board);
  if (board.style === "graph") {
    const [left, top] = [0, 1].map((axis) => Math.min(...board.nodes.map((node) => node[axis])));
    const [right, bottom] = [0, 1].map((axis) => Math.max(...board.nodes.map((node) => node[axis])));
    return {
      width: (right - left) * 8 + 100, height: (bottom - top) * 8 + 140,
      at: (r, c) => [(board.nodes[c][0] - left) * 8, (board.nodes[c][1] - top) * 8],
    };
  }
  if (board.style === "stacks") {
    return { width: board.columns.length * 130, height: high, at: (r, c) => [c * 130 + 15, 0] };
  }
  return { width: board.columns.length * wide, height: 2 * high + GAP, at: (r, c) => [c * wide, r * (high + GAP)] };
}

const isBar = (board, c) => c === board.columns.length / 2 - 1;
const isOff = (board, c) => c === board.columns.length - 1;

export function specialGround(board, r, c, kind) {
  const [wide, high] = cellSize(board);
  if (board.style === "graph") return `<circle cx="50" cy="50" r="42" class="${kind}"/>`;
  if (board.style === "stacks") return `<rect width="${wide}" height="${high}" rx="10" class="${kind}"/>`;
  if (isBar(board, c)) return `<rect width="${wide}" height="${high}" class="gt-ground is-bar"/>`;
  if (isOff(board, c)) return `<rect x="6" width="${wide - 6}" height="${high}" rx="8" class="gt-ground is-off"/>`;
  const tip = r ? `0,${high} ${wide},${high} ${wide / 2},60` : `0,0 ${wide},0 ${wide / 2},${high - 60}`;
  const shade = (r + c + (c > board.columns.length / 2 - 1 ? 1 : 0)) % 2 ? "is-odd" : "is-even";
  return `<rect width="${wide}" height="${high}" class="gt-ground is-field"/><polygon points="${tip}" class="gt-tongue ${shade}"/>`;
}

// Where the pieces of a square are, from the first on; null where there is no stack.
export function stackAt(board, key, count) {
  const row = Number(key.split(",")[0]);
  if (board.style === "points") {
    const step = Math.min(88, (DEEP - 108) / Math.max(1, count - 1));
    return (i) => `0 ${(row ? DEEP - 100 - i * step : i * step).toFixed(1)}`;
  }
  if (board.style === "stacks") {
    const step = stackStep(board);
    return (i) => `0 ${(stackHeight(board) - 100 - i * step).toFixed(1)}`;
  }
  return null;
}

export function specialLabels(board, escape) {
  const { at } = placeSpecial(board);
  const [wide, high] = cellSize(board);
  const text = (x, y, words) => `<text x="${x}" y="${y}" font-size="32" class="gt-label" text-anchor="middle">${escape(words)}</text>`;
  if (board.style === "graph") return board.columns.map((name, c) => text(at(0, c)[0] + 50, at(0, c)[1] + 132, name));
  if (board.style === "stacks") return board.columns.map((name, c) => text(at(0, c)[0] + 50, high + 42, name));
  // The numbers of points stand between the sides, where there is room.
  return Object.entries(board.names).filter(([, name]) => !Number.isNaN(Number(name)))
    .map(([key, name]) => {
      const [r, c] = key.split(",").map(Number);
      const [x] = at(r, c);
      return text(x + wide / 2, r ? high + GAP - 10 : high + 34, name);
    });
}

export function specialLines(board) {
  if (board.style === "points") {
    const bar = board.columns.length / 2 - 1;
    return `<rect x="${bar * WIDE}" y="0" width="${WIDE}" height="${2 * DEEP + GAP}" class="gt-ground is-bar"/>`;
  }
  if (board.style !== "graph") return "";
  const { at } = placeSpecial(board);
  return board.edges.map(([from, to]) => {
    const [[x, y], [u, v]] = [at(0, from), at(0, to)];
    return `<line x1="${x + 50}" y1="${y + 50}" x2="${u + 50}" y2="${v + 50}" class="gt-line"/>`;
  }).join("");
}
