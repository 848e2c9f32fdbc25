// The page works without this script; it adds another look at the graph, explanations, zooming and sorting.
import { content, edgeBetween, hasProbabilities, known, leftOut } from "./content.js";
import { all, button, byId, drawn, make, nameOf, percent, visible, withClass } from "./elements.js";
import * as focus from "./focus.js";
import { layOut } from "./layout.js";
import { drawMatrix } from "./matrix.js";
import { edgeTip, tellEdge, tellNode, tellNothing, tellPair } from "./panel.js";
import { legend, picture, widthOf } from "./picture.js";
import { listen } from "./say.js";
import { makeSortable } from "./tables.js";
import * as view from "./view.js";

const n = content.nodes.length;
const drawing = byId("drawing");
const first = byId("first");
const second = byId("second");
const chosen = { node: null, edge: null, pair: [], between: [] };
let shown = { nodes: [], edges: [], faint: [] };
let current = null; // the picture

// ------------------------------------------------------------------------------------------------- choosing

const actions = { edge: (k) => chooseEdge(k), focus: (node) => focusOn(node) };

function mark() {
  const { pair, between, node, edge } = chosen;
  const near = node !== null && pair.length === 1 ? neighbours(node) : [];
  all("g.node", drawing).forEach((element) => {
    const i = Number(element.dataset.node);
    element.classList.toggle("chosen", pair.includes(i));
    element.classList.toggle("between", between.includes(i));
    element.classList.toggle("near", near.includes(i) || (pair.length === 1 && pair[0] === i));
  });
  all("g.edge", drawing).forEach((element) => {
    const k = Number(element.dataset.k);
    element.classList.toggle("chosen", k === edge || (near.length > 0 && content.edges[k].slice(0, 2).includes(node)));
  });
  all("tr.chosen").forEach((row) => row.classList.remove("chosen"));
  const link = edge === null ? null : document.querySelector(`[data-edge="${edge}"]`);
  if (link) link.closest("tr").classList.add("chosen");
  drawing.classList.toggle("choosing", pair.length > 0);
}

function neighbours(node) {
  return content.edges.filter(([a, b]) => a === node || b === node).map(([a, b]) => (a === node ? b : a));
}

function choose(values) {
  Object.assign(chosen, { node: null, edge: null, pair: [], between: [] }, values);
  if (chosen.pair.length && focus.bringIn(...chosen.pair)) redraw();
  else mark();
}

function chooseEdge(k, ends = content.edges[k]) {
  const [a, b] = ends;
  choose({ edge: k, pair: [a, b] });
  [first.value, second.value] = [a, b];
  tellEdge(k, actions);
}

function choosePair(a, b) {
  if (a === b) return chooseNode(a);
  if (edgeBetween(a, b) !== undefined) return chooseEdge(edgeBetween(a, b), [a, b]);
  const pair = known(a, b);
  choose({ node: a, pair: [a, b], between: (pair && pair.set) || [] });
  [first.value, second.value] = [a, b];
  return tellPair(a, b, actions);
}

function chooseNode(node) {
  choose({ node, pair: [node] });
  if (first.value === "" || second.value !== "") [first.value, second.value] = [node, ""];
  tellNode(node, actions);
}

function letGo() {
  [first.value, second.value] = ["", ""];
  choose({});
  tellNothing();
}

// Where the panel stands below the graph, its heading must not stay out of sight.
function comeIntoView() {
  const head = byId("told").querySelector("h3");
  byId("panel").scrollTop = 0;
  const box = head === null ? null : head.getBoundingClientRect();
  if (box !== null && (box.top < 0 || box.bottom > window.innerHeight - 60)) head.scrollIntoView({ block: "center" });
}

// -------------------------------------------------------------------------------------------------- drawing

function redraw() {
  shown = focus.chosen();
  const several = content.lanes && new Set(shown.nodes.map((node) => content.lanes.of[node])).size > 1;
  const lanes = several ? content.lanes.labels.length : 0;
  const before = (a, b) => {
    const [one, other] = [a, b].map((node) => (lanes ? content.lanes.of[node] : 0));
    return one - other || content.rank[a] - content.rank[b];
  };
  const boxes = shown.nodes.map((id) => ({ id, width: widthOf(id), lane: lanes ? content.lanes.of[id] : 0 }));
  const forward = shown.edges.map((k) => before(content.edges[k][0], content.edges[k][1]) < 0);
  const links = shown.edges.map((k, i) => {
    const [a, b] = content.edges[k];
    return forward[i] ? { from: a, to: b } : { from: b, to: a };
  });
  let layout = layOut(boxes, links, { lanes, room: view.room() });
  if (withPanelBelow(layout)) layout = layOut(boxes, links, { lanes, room: view.room() });
  current = picture({ ...layout, forward }, shown.nodes, shown.edges, shown.faint, lanes ? content.lanes.labels : []);
  drawing.replaceChildren(current.svg);
  bringToLife();
  const at = focus.state.centre ?? chosen.pair[0];
  const begin = lanes ? [0, 0] : current.top; // lanes are read from the left
  view.take(current, at !== undefined && at !== null ? current.places.get(at) : begin);
  tellFocus();
  mark();
}

// Wide graphs get the whole width; says whether that has changed.
function withPanelBelow(layout) {
  const explore = document.querySelector(".explore");
  const before = explore.classList.contains("stacked");
  const beside = explore.clientWidth - 420;
  const below = layout.width > 1.15 * beside && layout.width > 1.5 * layout.height;
  explore.classList.toggle("stacked", below);
  return below !== before;
}

function bringToLife() {
  all("g.edge", drawing).forEach((element) => {
    const k = Number(element.dataset.k);
    element.addEventListener("click", (event) => { event.stopPropagation(); chooseEdge(k); comeIntoView(); });
    element.addEventListener("pointermove", (event) => { element.classList.add("over"); tip(event, ...edgeTip(k)); });
    element.addEventListener("pointerleave", () => { element.classList.remove("over"); hideTip(); });
  });
  all("g.node", drawing).forEach((element) => {
    const i = Number(element.dataset.node);
    element.classList.toggle("target", content.target === i);
    element.classList.toggle("member", content.members.includes(i));
    element.classList.toggle("centre", focus.state.centre === i);
    element.addEventListener("click", (event) => {
      event.stopPropagation();
      if (event.shiftKey && chosen.node !== null) choosePair(chosen.node, i);
      else chooseNode(i);
      comeIntoView();
    });
    element.addEventListener("dblclick", () => focusOn(i));
    element.addEventListener("pointermove", (event) => { element.classList.add("over"); tip(event, nameOf(i)); });
    element.addEventListener("pointerleave", () => { element.classList.remove("over"); hideTip(); });
  });
  all("g.faint", drawing).forEach((element) => element.addEventListener("click", (event) => {
    event.stopPropagation();
    choosePair(...element.dataset.pair.split(",").map(Number));
    comeIntoView();
  }));
}

function tip(event, ...children) {
  const box = byId("canvas").getBoundingClientRect();
  const element = byId("tip");
  element.replaceChildren(...children);
  element.hidden = false;
  const left = Math.min(event.clientX - box.left + 14, box.width - element.offsetWidth - 6);
  element.style.left = `${Math.max(left, 4)}px`;
  element.style.top = `${event.clientY - box.top + 16}px`;
}

function hideTip() {
  byId("tip").hidden = true;
}

function showLegend() {
  const rows = legend(leftOut.length > 0, document.querySelector("g.edge.thin") !== null);
  byId("legend").hidden = rows.length === 0;
  byId("legend").replaceChildren(...rows.map(([samples, words]) => make("span", drawn("svg", { viewBox: "-1 -6 38 12", class: "sample", "aria-hidden": "true" }, ...samples), " ", words)));
}

function save() {
  const plain = current.svg.cloneNode(true);
  const rows = legend(shown.faint.length > 0, false);
  rows.forEach(([samples, words], i) => {
    const text = drawn("text", { x: 44, y: 4, "font-size": 11, fill: "#5a6875" }, words);
    plain.append(drawn("g", { transform: `translate(16 ${current.height + 12 + 20 * i})` }, ...samples, text));
  });
  const height = current.height + 20 * rows.length + 8;
  Object.entries({ viewBox: `0 0 ${current.width} ${height}`, width: current.width, height }).forEach(([name, value]) => plain.setAttribute(name, value));
  all(".hit", plain).forEach((one) => one.remove());
  const file = new Blob([new XMLSerializer().serializeToString(plain)], { type: "image/svg+xml" });
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = "graph.svg";
  link.click();
  URL.revokeObjectURL(link.href);
}

// -------------------------------------------------------------------------------------------------- focusing

function focusOn(node) {
  Object.assign(focus.state, { centre: node, also: [] });
  if (focus.state.group !== null && !content.groups[focus.state.group][1].includes(node)) focus.state.group = null;
  if (!Number.isFinite(focus.state.amount)) focus.state.amount = 15;
  redraw();
  chooseNode(node);
}

function showAll() {
  Object.assign(focus.state, { centre: null, also: [], group: null, amount: Infinity });
  redraw();
}

function tellFocus() {
  const { centre, group, amount } = focus.state;
  const line = byId("focused");
  byId("amount").value = Number.isFinite(amount) ? String(amount) : "all";
  byId("group").value = group === null ? "" : String(group);
  byId("lonely").checked = focus.state.hideLonely;
  const part = shown.nodes.length < n;
  line.hidden = !part;
  if (!part) return;
  const what = [`${shown.nodes.length} of ${n} columns are shown`];
  if (centre !== null) what.push(", those nearest to ", nameOf(centre));
  else if (shown.nodes.length >= amount) what.push(", those with the strongest edges");
  line.replaceChildren(...what, ". ", button("Show all", showAll, "small"));
}

function find(text) {
  const wanted = text.trim().toLowerCase();
  if (!wanted) return;
  const plain = content.nodes.map((name) => visible(name).toLowerCase());
  const exact = plain.indexOf(wanted);
  const found = exact >= 0 ? exact : plain.findIndex((name) => name.startsWith(wanted));
  const node = found >= 0 ? found : plain.findIndex((name) => name.includes(wanted));
  byId("find").setCustomValidity(node < 0 ? "No column has this in its name." : "");
  byId("find").reportValidity();
  if (node < 0) return;
  if (n > focus.AT_ONCE) focusOn(node);
  else chooseNode(node);
  if (current) view.reveal(current.svg.querySelector(`[data-node="${node}"]`));
}

function choice(select, values) {
  select.replaceChildren(...values.map(([value, text]) => {
    const option = make("option", text);
    option.value = value;
    return option;
  }));
}

function listenToFocus() {
  const form = byId("focus");
  form.hidden = n < 2;
  form.addEventListener("submit", (event) => { event.preventDefault(); find(byId("find").value); });
  byId("find").addEventListener("input", (event) => {
    event.target.setCustomValidity("");
    if (content.nodes.some((name) => visible(name) === event.target.value)) find(event.target.value);
  });
  byId("names").replaceChildren(...content.nodes.map((name) => {
    const option = make("option");
    option.value = visible(name);
    return option;
  }));
  byId("amount-field").hidden = n <= focus.AMOUNTS[0];
  choice(byId("amount"), [...focus.AMOUNTS.filter((amount) => amount < n).map((amount) => [amount, `up to ${amount} columns`]), ["all", `all ${n} columns`]]);
  byId("amount").addEventListener("change", (event) => {
    if (event.target.value === "all") return showAll();
    focus.state.amount = Number(event.target.value);
    return redraw();
  });
  byId("group-field").hidden = content.groups.length === 0;
  choice(byId("group"), [["", "all"], ...content.groups.map(([label, own], i) => [i, `${visible(label)} (${own.length})`])]);
  byId("group").addEventListener("change", (event) => {
    Object.assign(focus.state, { group: event.target.value === "" ? null : Number(event.target.value), centre: null, also: [] });
    redraw();
  });
  byId("least-field").hidden = !hasProbabilities || content.edges.length === 0;
  byId("least").addEventListener("input", (event) => {
    focus.state.least = Number(event.target.value) / 100;
    byId("least-told").textContent = focus.state.least ? `${percent(focus.state.least)} or more` : "any";
    redraw();
  });
  byId("lonely-field").hidden = focus.lonely.size === 0 || focus.lonely.size === n;
  byId("lonely").addEventListener("change", (event) => { focus.state.hideLonely = event.target.checked; redraw(); });
  byId("views").hidden = !hasProbabilities || n < 12;
  all("[data-view]").forEach((one) => one.addEventListener("click", () => showView(one.dataset.view)));
}

function showView(name) {
  all("[data-view]").forEach((one) => one.setAttribute("aria-pressed", String(one.dataset.view === name)));
  const matrix = name === "matrix";
  if (matrix) drawMatrix((a, b) => { choosePair(a, b); comeIntoView(); }, tip, hideTip, letGo);
  [byId("matrix").hidden, drawing.hidden, byId("tools").hidden, byId("legend").hidden] = [!matrix, matrix, matrix, !matrix];
  if (matrix) byId("outside").hidden = true;
  const box = byId("matrix");
  const rest = box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight ? `Scroll inside the matrix to see all ${n} columns. ` : "";
  byId("legend").replaceChildren(`${rest}The darker a square, the likelier the two are joined. Squares with a frame are edges of the graph. With the matrix in focus: arrow keys move, N and P step from the likeliest pair on, Enter explains.`);
  byId("graph").classList.toggle("all-pairs", matrix);
  if (!matrix) {
    redraw();
    showLegend();
  }
}

function followKeys() {
  const step = (by) => {
    if (!shown.edges.length) return;
    const at = shown.edges.indexOf(chosen.edge);
    const start = at < 0 ? (by > 0 ? -1 : 0) : at;
    chooseEdge(shown.edges[(start + by + shown.edges.length) % shown.edges.length]);
    view.reveal(drawing.querySelector(`[data-k="${chosen.edge}"]`));
  };
  const keys = {
    "+": () => view.zoom(0.8), "=": () => view.zoom(0.8), "-": () => view.zoom(1.25), 0: view.fit, Escape: letGo,
    ArrowLeft: () => view.move(-0.1, 0), ArrowRight: () => view.move(0.1, 0), ArrowUp: () => view.move(0, -0.1), ArrowDown: () => view.move(0, 0.1),
    n: () => step(1), p: () => step(-1), N: () => step(1), P: () => step(-1), f: () => byId("find").focus(), F: () => byId("find").focus(),
  };
  drawing.tabIndex = 0;
  drawing.setAttribute("role", "application");
  drawing.setAttribute("aria-label", "The graph: arrow keys move, plus and minus zoom, N and P step through its edges, F finds a column");
  drawing.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !(event.key in keys)) return;
    event.preventDefault();
    keys[event.key]();
  });
}

// --------------------------------------------------------------------------------------------------- begin

function fill(select) {
  choice(select, [["", "choose…"], ...content.nodes.map((text, i) => {
    return [i, visible(content.short[i] ?? text)];
  })]);
  select.addEventListener("change", () => {
    const ends = [first, second].filter((field) => field.value !== "").map((field) => Number(field.value));
    if (ends.length === 2) choosePair(...ends);
    else if (ends.length === 1) chooseNode(ends[0]);
    else letGo();
  });
}

function switchTheme() {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
}

function beginWithGraph() {
  if (content.target !== null && n > focus.AT_ONCE) focus.state.centre = content.target;
  drawing.classList.add("live");
  const tools = { in: () => view.zoom(0.7), out: () => view.zoom(1.4), fit: view.fit, save };
  byId("tools").hidden = false;
  all("[data-do]").forEach((one) => one.addEventListener("click", tools[one.dataset.do]));
  redraw();
  showLegend();
  view.followPointers(letGo);
  followKeys();
  let width = drawing.clientWidth;
  window.addEventListener("resize", () => {
    if (matchMedia("print").matches || drawing.clientWidth === width) return;
    width = drawing.clientWidth;
    redraw();
  });
  window.addEventListener("beforeprint", view.whole);
  window.addEventListener("afterprint", view.screen);
}

document.documentElement.classList.add("scripted");
all("table.sortable").forEach(makeSortable);
byId("theme").hidden = false;
byId("theme").addEventListener("click", switchTheme);
tellNothing();
listen();
listenToFocus();
if (n > 1) {
  byId("panel").hidden = false;
  fill(first);
  fill(second);
}
byId("unfold").parentElement.hidden = false;
byId("unfold").addEventListener("click", () => {
  withClass(byId("graph"), "unfolded");
  redraw();
});
beginWithGraph();
window.addEventListener("beforeprint", () => all("details:not(#said, .raw)").forEach((part) => { part.open = true; }));
all("[data-edge], button[data-pair]").forEach((link) => link.addEventListener("click", () => {
  if (link.dataset.pair) choosePair(...link.dataset.pair.split(",").map(Number));
  else chooseEdge(Number(link.dataset.edge));
  byId("graph").scrollIntoView({ block: "start" });
  const element = chosen.edge === null ? null : drawing.querySelector(`[data-k="${chosen.edge}"]`);
  if (element) view.reveal(element);
}));
