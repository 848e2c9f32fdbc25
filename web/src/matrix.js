// All pairs at once: how likely each is joined, as a matrix; for graphs with too many columns to draw.
import { content, edgeBetween } from "./content.js";
import { byId, drawn, nameOf, percent } from "./elements.js";
import { FONT_SIZE, label, widthOf } from "./picture.js";

const CELL = 13;
const FONT = 11;

let made = false;

export function drawMatrix(choosePair, tip, hideTip, letGo) {
  if (made) return;
  made = true;
  const order = [...content.nodes.keys()].sort((a, b) => laneOf(a) - laneOf(b) || content.rank[a] - content.rank[b]);
  const place = new Map(order.map((node, i) => [node, i]));
  const side = Math.max(...order.map(widthOf)) * (FONT / FONT_SIZE) + 4;
  const size = side + CELL * order.length;
  const at = (i) => side + CELL * i;
  const heads = order.flatMap((node, i) => [
    drawn("text", { x: side - 6, y: at(i) + CELL * 0.78, "text-anchor": "end", "font-size": FONT }, label(node)),
    drawn("text", { transform: `translate(${at(i) + CELL * 0.78} ${side - 6}) rotate(-90)`, "font-size": FONT }, label(node)),
  ]);
  const lines = order.map((_, i) => drawn("path", { class: "rule", d: `M${side} ${at(i)}H${size}M${at(i)} ${side}V${size}` }));
  const cells = content.joined.flatMap(([a, b, p]) => [[a, b], [b, a]].map(([row, column]) => {
    const rect = drawn("rect", { x: at(place.get(column)) + 1, y: at(place.get(row)) + 1, width: CELL - 2, height: CELL - 2, class: "pair", "fill-opacity": Math.max(p, 0.06) });
    if (edgeBetween(a, b) !== undefined) rect.classList.add("drawn");
    rect.addEventListener("click", () => choosePair(row, column));
    rect.addEventListener("pointermove", (event) => tip(event, nameOf(row), " and ", nameOf(column), `: joined ${percent(p)}`));
    rect.addEventListener("pointerleave", hideTip);
    return rect;
  }));
  const cursor = drawn("rect", { class: "cursor", width: CELL, height: CELL });
  const svg = drawn("svg", { width: size + 8, height: size + 8, role: "img", "aria-label": "How likely each pair of columns is joined; the tables below list the same" }, ...lines, ...cells, ...heads, cursor);
  byId("matrix").replaceChildren(svg);
  followKeys(order, cursor, at, choosePair, letGo);
}

// One square is under the cursor; what it says is told in words below the matrix.
function followKeys(order, cursor, at, choosePair, letGo) {
  const matrix = byId("matrix");
  const likely = new Map(content.joined.flatMap(([a, b, p]) => [[`${a} ${b}`, p], [`${b} ${a}`, p]]));
  const pairs = [...content.joined].sort((one, other) => other[2] - one[2]);
  let [row, column, step] = [0, 1, -1];
  const show = () => {
    const [a, b] = [order[row], order[column]];
    cursor.setAttribute("x", at(column));
    cursor.setAttribute("y", at(row));
    cursor.scrollIntoView({ block: "nearest", inline: "nearest" });
    const p = likely.get(`${a} ${b}`);
    byId("pointed").replaceChildren(nameOf(a), ...(a === b ? [] : [" and ", nameOf(b), p === undefined ? ": hardly ever joined" : `: joined ${percent(p)}`]));
  };
  const move = (down, right) => {
    const inside = (value) => Math.min(Math.max(value, 0), order.length - 1);
    [row, column] = [inside(row + down), inside(column + right)];
  };
  const next = (by) => {
    if (!pairs.length) return;
    step = (Math.max(step, by > 0 ? -1 : 0) + by + pairs.length) % pairs.length;
    [row, column] = [order.indexOf(pairs[step][0]), order.indexOf(pairs[step][1])];
  };
  const explain = () => choosePair(order[row], order[column]);
  const keys = {
    ArrowUp: () => move(-1, 0), ArrowDown: () => move(1, 0), ArrowLeft: () => move(0, -1), ArrowRight: () => move(0, 1),
    Home: () => move(0, -order.length), End: () => move(0, order.length), n: () => next(1), p: () => next(-1), N: () => next(1), P: () => next(-1),
    Enter: explain, " ": explain, Escape: letGo,
  };
  matrix.tabIndex = 0;
  matrix.setAttribute("role", "application");
  matrix.setAttribute("aria-label", "All pairs: arrow keys move, N and P step from the likeliest pair on, Enter explains a pair");
  matrix.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !(event.key in keys)) return;
    event.preventDefault();
    keys[event.key]();
    show();
  });
  matrix.addEventListener("focus", show);
}

function laneOf(node) {
  return content.lanes ? content.lanes.of[node] : 0;
}
