// The part of the drawing that is seen: zooming, moving, fitting. Labels never get smaller than ten pixels.
import { byId, drawn } from "./elements.js";
import { FONT_SIZE } from "./picture.js";

const SMALLEST = 10.02 / FONT_SIZE; // pixels of the screen for one unit of the drawing
const LARGEST = 1.4; // small graphs are not blown up
const NEAREST = 5;
const NEARLY = 1.3; // a drawing that is only so much higher than its room is shown whole
const SHEET = { width: 680, height: 900 }; // pixels of a sheet of paper, whatever its margins
const OVERLAP = 90; // units of the drawing that two sheets share, so that no box is cut on both

const drawing = byId("drawing");
let svg = null;
let home = null;
let view = null;
let scale = 1;

function show(next) {
  view = next;
  svg.setAttribute("viewBox", `${view.x} ${view.y} ${view.w} ${view.h}`);
  drawing.classList.toggle("near", view.w < home.width * 0.98 || view.h < home.height * 0.98);
  tellOutside();
}

// A graph that is larger than its frame looks whole: say what cannot be seen.
function tellOutside() {
  const seen = ([x, y]) => x >= view.x && x <= view.x + view.w && y >= view.y && y <= view.y + view.h;
  const hidden = [...home.places.values()].filter((place) => !seen(place)).length;
  const line = byId("outside");
  line.hidden = hidden === 0 || drawing.hidden;
  const some = hidden === 1 ? "1 column lies" : `${hidden} columns lie`;
  line.textContent = `${some} outside this view: drag the graph to see the rest, or show fewer columns above.`;
}

/** Take a new drawing; `centre` is a place to begin with where it is larger than the screen. */
export function take(picture, centre = null) {
  [svg, home] = [picture.svg, { ...picture, centre }];
  fit();
}

/** How high the drawing may be on this screen. */
export function room() {
  return { width: Math.max(drawing.clientWidth - 4, 280), height: Math.max(window.innerHeight * 0.72, 320) };
}

export function fit() {
  if (!svg) return;
  const { width, height } = room();
  scale = Math.max(Math.min(width / home.width, height / home.height, LARGEST), SMALLEST);
  const wanted = home.height * scale;
  drawing.style.height = `${Math.round(Math.max(wanted <= NEARLY * height ? wanted : height, 220))}px`;
  const [w, h] = [drawing.clientWidth / scale, drawing.clientHeight / scale];
  const along = (size, seen, centre) => (seen >= size ? (size - seen) / 2 : Math.min(Math.max((centre ?? size / 2) - seen / 2, 0), size - seen));
  const [cx, cy] = home.centre || [null, 0];
  show({ x: along(home.width, w, cx), y: along(home.height, h, cy), w, h });
}

export function zoom(factor, at = null) {
  const wanted = Math.min(Math.max(scale / factor, Math.min(SMALLEST, scale)), NEAREST);
  const ratio = scale / wanted;
  scale = wanted;
  const point = at || { x: view.x + view.w / 2, y: view.y + view.h / 2 };
  show({ x: point.x - (point.x - view.x) * ratio, y: point.y - (point.y - view.y) * ratio, w: view.w * ratio, h: view.h * ratio });
}

export function move(dx, dy) {
  show({ ...view, x: view.x + dx * view.w, y: view.y + dy * view.h });
}

/** The whole drawing, for paper: on its side or cut into parts where labels would get too small on one sheet. */
export function whole() {
  if (!svg) return;
  show({ x: 0, y: 0, w: home.width, h: home.height });
  const [wide, high] = [SHEET.width / SMALLEST, SHEET.height / SMALLEST];
  const [across, down] = [cuts(home.width, wide), cuts(home.height, high)];
  if (across.length * down.length === 1) return;
  if (home.width <= high && home.height <= wide) {
    drawing.replaceChildren(onItsSide());
    return;
  }
  drawing.replaceChildren(...down.flatMap(([y, h]) => across.map(([x, w]) => {
    const part = svg.cloneNode(true);
    part.classList.add("part");
    part.setAttribute("viewBox", `${x} ${y} ${w} ${h}`);
    return part;
  })));
}

// Turned by a quarter, as a table is printed that is broader than the sheet.
function onItsSide() {
  const turned = svg.cloneNode(true);
  const all = drawn("g", { transform: `translate(${home.height} 0) rotate(90)` });
  all.append(...turned.childNodes);
  turned.append(all);
  turned.classList.add("part", "turned");
  turned.setAttribute("viewBox", `0 0 ${home.height} ${home.width}`);
  return turned;
}

// Where each part begins, and how long it is.
function cuts(size, most) {
  const count = Math.max(Math.ceil((size - OVERLAP) / (most - OVERLAP)), 1);
  const length = (size + (count - 1) * OVERLAP) / count;
  return Array.from({ length: count }, (_, k) => [k * (length - OVERLAP), length]);
}

/** Back to the screen. */
export function screen() {
  if (!svg) return;
  drawing.replaceChildren(svg);
  fit();
}

export function reveal(element) {
  const box = element.getBBox();
  const inside = box.x >= view.x && box.y >= view.y && box.x + box.width <= view.x + view.w && box.y + box.height <= view.y + view.h;
  if (!inside) show({ ...view, x: box.x + box.width / 2 - view.w / 2, y: box.y + box.height / 2 - view.h / 2 });
}

function pointAt(event) {
  const place = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
  return { x: place.x, y: place.y };
}

export function followPointers(letGo) {
  const fingers = new Map();
  let moved = false;
  drawing.addEventListener("pointerdown", (event) => {
    fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    moved = false;
  });
  drawing.addEventListener("pointermove", (event) => {
    const last = fingers.get(event.pointerId);
    if (!last) return;
    const unit = view.w / drawing.clientWidth;
    if (fingers.size === 2) {
      const other = [...fingers].find(([id]) => id !== event.pointerId)[1];
      const before = Math.hypot(last.x - other.x, last.y - other.y);
      const after = Math.hypot(event.clientX - other.x, event.clientY - other.y);
      if (before > 0 && after > 0) zoom(before / after, pointAt(event));
    } else {
      show({ ...view, x: view.x - (event.clientX - last.x) * unit, y: view.y - (event.clientY - last.y) * unit });
    }
    if (Math.hypot(event.clientX - last.x, event.clientY - last.y) > 2) moved = true;
    if (moved && !drawing.hasPointerCapture(event.pointerId)) drawing.setPointerCapture(event.pointerId);
    drawing.classList.add("moving");
    fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
  });
  const lift = (event) => {
    fingers.delete(event.pointerId);
    drawing.classList.remove("moving");
  };
  drawing.addEventListener("pointerup", lift);
  drawing.addEventListener("pointercancel", lift);
  drawing.addEventListener("click", (event) => {
    if (moved) event.stopPropagation(); // the end of a drag chooses nothing
    moved = false;
  }, true);
  drawing.addEventListener("click", letGo);
  drawing.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return; // the page scrolls
    event.preventDefault();
    zoom(Math.exp(Math.min(Math.max(event.deltaY, -60), 60) / 200), pointAt(event));
  }, { passive: false });
}
