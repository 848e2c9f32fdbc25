// A laid-out graph as SVG: how sure an edge is shows in its width and in the fill of its arrowheads.
import { content, directed, hasProbabilities, joined, known, nearest, TEST } from "./content.js";
import { drawn } from "./elements.js";
import { BOX_HEIGHT } from "./layout.js";

export const FONT_SIZE = 13;
const MARGIN = 16;
const LINE = "#5f7183";
const [ARROW_LENGTH, ARROW_WIDTH, RADIUS] = [9, 4, 3.8];
const FILL = { sure: 1, likely: 0.4, open: 0 };

export const label = (node) => content.labels[node];

let measure = null;
export function widthOf(node) {
  if (measure === null) {
    measure = document.createElement("canvas").getContext("2d");
    measure.font = `${FONT_SIZE}px system-ui, Helvetica, Arial, sans-serif`;
  }
  return Math.max(measure.measureText(label(node)).width + 20, 40);
}

export const lineWidth = (share) => Math.round(100 * (0.6 + 2.2 * share)) / 100;

function sureness(share) {
  if (share === null) return null;
  return share >= 0.8 ? "sure" : share >= 0.5 ? "likely" : "open";
}

/** Draw what `layOut` placed: shown nodes and edges by their numbers, and pairs left out as faint lines. */
export function picture(layout, nodes, edges, faint, laneLabels) {
  const { width, height } = { width: layout.width + 2 * MARGIN, height: layout.height + 2 * MARGIN };
  const at = ([x, y]) => [x + MARGIN, y + MARGIN];
  const places = new Map([...layout.places].map(([id, place]) => [id, at(place)]));
  const boxes = new Map(nodes.map((node) => [node, { at: places.get(node), width: widthOf(node) }]));
  const parts = [
    ...lanesOf(layout.lanes, laneLabels, height),
    ...faint.map((pair) => faintLine(pair, boxes, width, height)),
    ...edges.map((k, i) => edgeOf(k, layout.trails[i].map(at), layout.forward[i], boxes)),
    ...nodes.map((node) => nodeOf(node, boxes.get(node))),
  ];
  const look = { "font-family": "system-ui, Helvetica, Arial, sans-serif", "font-size": FONT_SIZE, role: "img" };
  const svg = drawn("svg", { viewBox: `0 0 ${Math.ceil(width)} ${Math.ceil(height)}`, ...look }, ...parts);
  // where a drawing that is larger than the screen begins: not between columns, where there may be nothing but lines
  const [top] = [...places.values()].sort((one, other) => one[1] - other[1] || Math.abs(one[0] - width / 2) - Math.abs(other[0] - width / 2));
  return { svg, width: Math.ceil(width), height: Math.ceil(height), places, top };
}

function lanesOf(bands, labels, height) {
  if (!bands) return [];
  return bands.flatMap((band, k) => {
    if (!band) return [];
    const [x, w] = [band.from + MARGIN - 10, band.to - band.from + 20];
    const box = drawn("rect", { class: "lane", x, y: 4, width: w, height: height - 8, rx: 8, fill: "#f5f7f9" });
    const head = drawn("text", { class: "lane-head", x: x + w / 2, y: 24, "text-anchor": "middle", fill: "#5a6875", "font-size": FONT_SIZE }, labels[k]);
    return [box, head];
  });
}

function nodeOf(node, { at: [x, y], width }) {
  const box = drawn("rect", {
    x: x - width / 2, y: y - BOX_HEIGHT / 2, width, height: BOX_HEIGHT, rx: 7, fill: "#eef3f8", stroke: "#9fb1c3",
  });
  const text = drawn("text", { x, y: y + FONT_SIZE * 0.35, "text-anchor": "middle", fill: "#1c2733" }, label(node));
  return drawn("g", { class: "node", "data-node": node }, box, text);
}

function edgeOf(k, trail, forward, boxes) {
  const [a, b, symbol] = content.edges[k];
  const points = forward ? trail : trail.slice().reverse();
  points[0] = border(boxes.get(a), points[1]);
  points[points.length - 1] = border(boxes.get(b), points[points.length - 2]);
  const sure = sureness(directed(k));
  const marks = marksOf(symbol);
  const line = points.slice();
  const shapes = [];
  for (const [end, mark] of [[0, marks[0]], [points.length - 1, marks[1]]]) {
    const [start, ...shape] = markAt(points[end], end ? points[end - 1] : points[1], mark, sure);
    line[end] = start;
    shapes.push(...shape);
  }
  const d = curve(line);
  const width = hasProbabilities ? lineWidth(joined(a, b)) : content.compare ? 2 : 1.5;
  const seen = drawn("path", { class: "seen", d, fill: "none", stroke: LINE, "stroke-width": width });
  const hit = drawn("path", { class: "hit", d, fill: "none", stroke: "transparent", "stroke-width": 16 });
  const group = drawn("g", { class: "edge", "data-k": k }, seen, ...shapes, hit);
  const pair = known(a, b);
  const best = pair ? nearest(pair.tests) : null;
  if (best !== null && best[TEST.doubts].length) group.classList.add("thin");
  if (content.compare) group.classList.add(content.compare.status[k]);
  return group;
}

export function marksOf(symbol) {
  const first = symbol[0] === "<" ? "arrow" : symbol[0] === "o" ? "circle" : "tail";
  const end = symbol[symbol.length - 1];
  return [first, end === ">" ? "arrow" : end === "o" ? "circle" : "tail"];
}

function markAt([x, y], [tx, ty], mark, sure) {
  const length = Math.hypot(tx - x, ty - y) || 1;
  const [ux, uy] = [(tx - x) / length, (ty - y) / length];
  if (mark === "arrow") {
    const [bx, by] = [x + ux * ARROW_LENGTH, y + uy * ARROW_LENGTH];
    const [sx, sy] = [-uy * ARROW_WIDTH, ux * ARROW_WIDTH];
    return [[bx, by], ...head(`${x},${y} ${bx + sx},${by + sy} ${bx - sx},${by - sy}`, sure)];
  }
  if (mark === "circle") {
    const circle = drawn("circle", { cx: x + ux * RADIUS, cy: y + uy * RADIUS, r: RADIUS, fill: "white", stroke: LINE, "stroke-width": 1.5 });
    return [[x + 2 * ux * RADIUS, y + 2 * uy * RADIUS], circle];
  }
  return [[x, y]];
}

function head(points, sure) {
  if (sure === null) return [drawn("polygon", { class: "arrow", points, fill: LINE })];
  const look = { fill: LINE, "fill-opacity": FILL[sure], stroke: LINE, "stroke-width": 1.2, "stroke-linejoin": "round" };
  return [drawn("polygon", { class: "arrow back", points, fill: "white" }), drawn("polygon", { class: `arrow ${sure}`, points, ...look })];
}

// A smooth line through the points: Catmull and Rom's spline, but rising and falling only as the points do; otherwise a
// line at the rim of the drawing would swing out of it.
function curve(points) {
  const write = (point) => point.map((v) => Math.round(10 * v) / 10).join(" ");
  let path = `M${write(points[0])}`;
  const slope = (i, axis) => {
    if (i === 0 || i === points.length - 1) return (points[Math.min(i + 1, points.length - 1)][axis] - points[Math.max(i - 1, 0)][axis]) / 6;
    const [there, on] = [points[i][axis] - points[i - 1][axis], points[i + 1][axis] - points[i][axis]];
    if (there * on <= 0) return 0;
    const nearest = Math.min(Math.abs(there), Math.abs(on));
    return Math.min(Math.max((there + on) / 6, -nearest), nearest);
  };
  for (let i = 0; i + 1 < points.length; i += 1) {
    const c1 = [0, 1].map((axis) => points[i][axis] + slope(i, axis));
    const c2 = [0, 1].map((axis) => points[i + 1][axis] - slope(i + 1, axis));
    path += ` C${write(c1)} ${write(c2)} ${write(points[i + 1])}`;
  }
  return path;
}

function border({ at: [x, y], width }, [tx, ty]) {
  const [dx, dy] = [tx - x, ty - y];
  const scale = Math.min(dx ? width / 2 / Math.abs(dx) : Infinity, dy ? BOX_HEIGHT / 2 / Math.abs(dy) : Infinity);
  return Number.isFinite(scale) ? [x + dx * scale, y + dy * scale] : [x, y];
}

// Bent, so that it runs along no edge, and past other boxes if possible.
function faintLine([a, b], boxes, width, height) {
  const [[x, y], [u, v]] = [boxes.get(a).at, boxes.get(b).at];
  const others = [...boxes].filter(([node]) => node !== a && node !== b).map(([, box]) => box);
  const least = Math.max(0.16, Math.abs(y - v) < 1 ? (2.4 * BOX_HEIGHT) / Math.hypot(u - x, v - y) : 0);
  const tries = [least, least + 0.2, least + 0.4].flatMap((size) => [size, -size]);
  // how far out the point that bends the curve may lie while the curve itself stays between 0 and the size
  const inside = (value, p, q, size) => Math.min(Math.max(value, -Math.sqrt(p * q)), size + Math.sqrt((size - p) * (size - q)));
  const middles = tries.map((bend) => [inside((x + u) / 2 - bend * (v - y), x, u, width), inside((y + v) / 2 + bend * (u - x), y, v, height)]);
  const hidden = (middle) => {
    let count = 0;
    for (let t = 0.05; t < 1; t += 0.05) {
      const on = [0, 1].map((i) => (1 - t) ** 2 * [x, y][i] + 2 * t * (1 - t) * middle[i] + t * t * [u, v][i]);
      if (others.some((box) => Math.abs(on[0] - box.at[0]) < box.width / 2 + 4 && Math.abs(on[1] - box.at[1]) < BOX_HEIGHT / 2 + 4)) count += 1;
    }
    return count;
  };
  const [cx, cy] = middles.map((middle) => [hidden(middle), middle]).sort((one, other) => one[0] - other[0])[0][1];
  const d = `M${x} ${y} Q${cx} ${cy} ${u} ${v}`;
  const look = { fill: "none", stroke: LINE, "stroke-width": 1.2, "stroke-dasharray": "2 5", "stroke-opacity": 0.75 };
  const hit = drawn("path", { class: "hit", d, fill: "none", stroke: "transparent", "stroke-width": 12 });
  return drawn("g", { class: "faint", "data-pair": `${a},${b}` }, drawn("path", { d, ...look }), hit);
}

/** The legend as SVG samples with words, or none where all edges look alike. */
export function legend(faint, thin) {
  const line = (share) => drawn("path", { d: "M0 0H34", fill: "none", stroke: LINE, "stroke-width": lineWidth(share) });
  const tip = (sure) => head("36,0 26,4.5 26,-4.5", sure);
  const rows = [];
  if (content.compare) {
    const { first, second } = content.compare;
    const status = (name) => drawn("g", { class: `edge ${name}` }, drawn("path", { class: "seen", d: "M0 0H34", fill: "none", stroke: LINE, "stroke-width": 2.4 }));
    rows.push([[status("both")], "in both"], [[status("turned")], `in both, not with the same direction (drawn as in ${second})`]);
    rows.push([[status("first")], `only in ${first}`], [[status("second")], `only in ${second}`]);
  } else if (hasProbabilities) {
    if (content.edges.length) rows.push([[line(1)], "surely joined"], [[line(0.3)], "perhaps joined"]);
    if (content.edges.some(([, , symbol]) => marksOf(symbol).includes("arrow"))) {
      rows.push([[line(1), ...tip("sure")], "arrow 80 % or more"], [[line(1), ...tip("likely")], "50 to 80 %"]);
      rows.push([[line(1), ...tip("open")], "under 50 %"]);
    }
    const dashes = { d: "M0 0H34", fill: "none", stroke: LINE, "stroke-width": 1.2, "stroke-dasharray": "2 5" };
    if (faint) rows.push([[drawn("path", dashes)], "left out, but 30 % or more"]);
  }
  if (thin) rows.push([[drawn("path", { d: "M0 0H34", fill: "none", stroke: LINE, "stroke-width": 1.5, "stroke-dasharray": "6 4" })], "rests on too few rows"]);
  return rows;
}
