// All pairs at once: how likely each is joined, as a matrix; for graphs with too many columns to draw.
import { content, edgeBetween } from "./content.js";
import { byId, drawn, nameOf, percent } from "./elements.js";
import { FONT_SIZE, label, widthOf } from "./picture.js";

const CELL = 13;
const FONT = 11;

let made = false;

export function drawMatrix(choosePair, tip, hideTip) {
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
  const svg = drawn("svg", { width: size + 8, height: size + 8, role: "img", "aria-label": "How likely each pair of columns is joined; the tables below list the same" }, ...lines, ...cells, ...heads);
  byId("matrix").replaceChildren(svg);
}

function laneOf(node) {
  return content.lanes ? content.lanes.of[node] : 0;
}
