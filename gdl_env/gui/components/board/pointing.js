// What a pointer is about to choose, and where what it has to choose from is put.

// Light up a whole column or row, where moves name no more.
export function lightLine(boards, hit, moves) {
  for (const square of boards.querySelectorAll(".is-lit")) square.classList.remove("is-lit");
  if (!hit) return;
  const [row, column] = hit.square.split(",").map(Number);
  for (const move of moves.filter((m) => m.board === hit.board)) {
    if (move.column !== column && move.row !== row) continue;
    const wanted = move.column >= 0 ? `[data-square$=",${column}"]` : `[data-square^="${row},"]`;
    for (const square of boards.querySelectorAll(`[data-board="${hit.board}"]${wanted}`)) square.classList.add("is-lit");
  }
}

// Put a picker beside the square it is about, and on the screen; in the middle without one.
export function putBeside(choice, target) {
  if (!target) { choice.style.left = choice.style.top = ""; return; }
  const box = target.getBoundingClientRect(), own = choice.getBoundingClientRect();
  choice.style.left = `${Math.max(8, Math.min(box.left + box.width / 2 - own.width / 2, innerWidth - own.width - 8))}px`;
  choice.style.top = `${box.bottom + own.height + 8 < innerHeight ? box.bottom + 4 : Math.max(8, box.top - own.height - 4)}px`;
}
