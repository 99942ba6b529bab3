// Mouse and finger: a click, a drag from one square to another, a swipe; arrows with the right button.
// These are methods of the table.
import { toggleArrow } from "./arrows.js";
import { isStill, slide } from "./motion.js";

// A finger that goes this far has swiped; a pointer that goes this far drags [pixels].
const SWIPE = 30, DRAG = 6;

export function squareAt(target) {
  const group = target && target.closest && target.closest("[data-square]");
  return group ? { board: Number(group.dataset.board), square: group.dataset.square } : null;
}

const swiped = (drag, event) => {
  const [x, y] = [event.clientX - drag.x, event.clientY - drag.y];
  if (Math.max(Math.abs(x), Math.abs(y)) < SWIPE) return "";
  return Math.abs(x) > Math.abs(y) ? (x > 0 ? "right" : "left") : (y > 0 ? "down" : "up");
};

const under = (event) => squareAt(document.elementFromPoint(event.clientX, event.clientY));

export const pointer = {
  onDown(event) {
    const hit = squareAt(event.target);
    if (!hit || !this.state) return;
    if (event.button === 2) { this.drawing = hit; return; }
    if (event.button > 0) return;
    const starts = this.state.canPlan ? this.isOwn(hit.board, hit.square) && !this.planned
      : this.moves().some((m) => m.board === hit.board && m.path.length === 2 && m.path[0].join() === hit.square);
    this.drag = { ...hit, x: event.clientX, y: event.clientY, starts, isMoving: false };
    this.cursor = null;
    if (this.drawn.length) { this.drawn = []; this.drawBoards(); }
    this.drag.swipes = this.moves().some((m) => m.arrow);
    if (starts) event.preventDefault();
  },
  onDrag(event) {
    const { drag } = this;
    if (!drag || !drag.starts) return;
    if (!drag.isMoving && Math.hypot(event.clientX - drag.x, event.clientY - drag.y) > DRAG) {
      drag.isMoving = true;
      this.selected = { board: drag.board, square: drag.square };
      this.drawBoards();
      drag.piece = this.$el.querySelector(`[data-board="${drag.board}"] [data-piece="${drag.square}"]`);
      const svg = drag.piece.ownerSVGElement;
      // Above all others, and measured once: a board may be large.
      drag.piece.parentNode.parentNode.append(drag.piece.parentNode);
      drag.piece.classList.add("is-dragged");
      drag.scale = svg.viewBox.baseVal.width / svg.getBoundingClientRect().width;
    }
    if (!drag.piece) return;
    [drag.right, drag.down] = [(event.clientX - drag.x) * drag.scale, (event.clientY - drag.y) * drag.scale];
    drag.piece.setAttribute("transform", `translate(${drag.right} ${drag.down})`);
    this.showTarget(under(event));
  },
  // The square on which the piece would be let go of.
  showTarget(hit) {
    const name = hit ? `${hit.board}:${hit.square}` : "";
    if (name === this.target) return;
    this.target = name;
    for (const square of this.parts.boards.querySelectorAll(".is-aimed")) square.classList.remove("is-aimed");
    const square = hit && this.parts.boards.querySelector(`[data-board="${hit.board}"][data-square="${hit.square}"]`);
    if (square) square.classList.add("is-aimed");
  },
  onUp(event) {
    if (event.button === 2) return this.finishArrow(event);
    const { drag } = this;
    if (!drag) return;
    this.drag = null;
    this.showTarget(null);
    if (drag.swipes && this.playArrow(swiped(drag, event))) return;
    const hit = under(event);
    if (!drag.isMoving) {
      if (hit && hit.square === drag.square && hit.board === drag.board) this.pick(hit.board, hit.square);
      else if (hit && hit.board === drag.board && !drag.starts && this.state.canPlay && (this.state.scene.boards[hit.board].pieces[drag.square] || []).length)
        this.$emit("asked", { board: hit.board, square: hit.square, from: drag.square });
      return;
    }
    const isElsewhere = hit && hit.board === drag.board && hit.square !== drag.square;
    if (isElsewhere) {
      this.carried = { board: drag.board, square: drag.square, target: hit.square };
      this.isDropping = true;
      this.pick(hit.board, hit.square);
      this.isDropping = false;
    }
    const isPlayed = isElsewhere && (this.$el.classList.contains("is-sent") || !this.parts.choice.hidden);
    if (isPlayed) this.dropped = `${hit.board}:${hit.square}`;
    else this.carried = null;
    if (this.selected && this.state.canPlay && this.parts.choice.hidden) this.selected = null;
    if (this.state.canPlan && !isElsewhere) this.selected = null;
    this.drawBoards();
    if (!isPlayed && !isStill()) slide(drag.piece, [drag.right, drag.down], 140);
  },
  finishArrow(event) {
    const { drawing } = this;
    this.drawing = null;
    const hit = under(event);
    if (!drawing || !hit || hit.board !== drawing.board) return;
    if ((this.planned || this.selected) && hit.square === drawing.square) return this.cancel();
    const from = hit.square === drawing.square ? "" : drawing.square;
    this.drawn = toggleArrow(this.drawn, { board: hit.board, from, to: hit.square, kind: "own" });
    this.drawBoards();
  },
};
