// The page works without this script; it adds explanations, zooming and sorting. Names from the data only ever
// become text, never markup.
"use strict";
(() => {
  const content = JSON.parse(document.getElementById("content").textContent);
  const names = content.nodes.concat(content.others);
  const TEST = { given: 0, decision: 1, p: 2, statistic: 3, dof: 4, threshold: 5, perCell: 6, doubts: 7 };
  const SIGNS = {
    "->": "→", "<-": "←", "--": "—", "<->": "↔", "o->": "o→", "<-o": "←o", "o-o": "o–o", "o--": "o—", "--o": "—o",
  };
  const MIRROR = { "->": "<-", "<-": "->", "o->": "<-o", "<-o": "o->", "o--": "--o", "--o": "o--" };
  const SVG = "http://www.w3.org/2000/svg";
  const byId = (id) => document.getElementById(id);
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];

  // ------------------------------------------------------------------------------------------ building elements

  function make(tag, ...children) {
    const element = document.createElement(tag);
    element.append(...children.filter((child) => child !== null));
    return element;
  }

  function withClass(element, ...classes) {
    element.classList.add(...classes);
    return element;
  }

  function visible(text) {
    return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, (sign) => {
      const code = sign.codePointAt(0);
      return code < 0x20 ? String.fromCodePoint(0x2400 + code) : code === 0x7f ? "\u2421" : "\ufffd";
    });
  }

  function nameOf(node) {
    const element = withClass(make("bdi", visible(names[node])), "name");
    element.title = visible(names[node]);
    return element;
  }

  function listOf(nodes) {
    return nodes.flatMap((node, i) => (i ? [", ", nameOf(node)] : [nameOf(node)]));
  }

  function sentence(text, a, b) {
    return text.split(/(\{a\}|\{b\})/).map((part) => (part === "{a}" ? nameOf(a) : part === "{b}" ? nameOf(b) : part));
  }

  function number(value) {
    if (value === null) return "–";
    if (Math.abs(value) >= 1000) return Math.round(value).toLocaleString("en");
    return String(Number(value.toPrecision(3)));
  }

  // ---------------------------------------------------------------------------------------- what is known of pairs

  const edgeOf = new Map();
  content.edges.forEach(([a, b], k) => edgeOf.set(key(a, b), k));

  function key(a, b) {
    return a < b ? `${a},${b}` : `${b},${a}`;
  }

  function known(a, b) {
    return content.pairs[key(a, b)];
  }

  function nearest(tests) {
    const rank = (test) => (test[TEST.p] === null ? -test[TEST.statistic] : test[TEST.p]);
    return tests.reduce((best, test) => (best === null || rank(test) > rank(best) ? test : best), null);
  }

  // ------------------------------------------------------------------------------------------------- the panel

  const panel = byId("panel");
  const told = byId("told");
  const first = byId("first");
  const second = byId("second");

  function tellEdge(k) {
    const [a, b, symbol] = content.edges[k];
    const pair = known(a, b);
    const parts = [
      make("h3", nameOf(a), " ", withClass(make("span", SIGNS[symbol]), "mark"), " ", nameOf(b)),
      make("p", ...sentence(content.meanings[symbol] || "", a, b)),
    ];
    parts.push(...sureness(a, b, pair));
    if (pair.why) parts.push(make("h4", "Why the marks"), make("ul", ...pair.why.map((why) => make("li", visible(why)))));
    if (pair.tests.length) {
      parts.push(make("h4", "The tests that kept it"), tableOf(pair.tests));
      parts.push(note("For each number of conditioners, the test that came nearest to separating the two."));
    } else if (!pair.likely && !pair.gain) {
      parts.push(note("No test was asked about this pair."));
    }
    told.replaceChildren(...parts);
  }

  function tellPair(a, b) {
    const pair = known(a, b);
    const parts = [make("h3", nameOf(a), " and ", nameOf(b))];
    if (!pair) {
      parts.push(make("p", "Not joined. This page is too large to hold the reasons; result.why(x, y) has them."));
    } else if (pair.set && pair.set.length) {
      parts.push(make("p", "Not joined: independent given ", ...listOf(pair.set), "."));
    } else {
      parts.push(make("p", pair.set ? "Not joined: they are independent." : "Not joined."));
    }
    if (pair) parts.push(...sureness(a, b, pair));
    if (pair && pair.why) parts.push(make("ul", ...pair.why.map((why) => make("li", visible(why)))));
    if (pair && pair.tests.length) parts.push(make("h4", "The test that separated them"), tableOf(pair.tests));
    told.replaceChildren(...parts);
  }

  // How likely each kind of edge is, and what the edge is worth to the score.
  function sureness(a, b, pair) {
    const parts = [];
    if (pair.likely) {
      const kinds = Object.entries(pair.likely).map(([kind, share]) => [a < b ? kind : MIRROR[kind] || kind, share]);
      const absent = Math.max(0, 1 - joinedShare(pair));
      const rows = kinds.map(([kind, share]) => shareRow([nameOf(a), ` ${SIGNS[kind]} `, nameOf(b)], share));
      parts.push(make("h4", content.shares), withClass(make("table", make("tbody", ...rows, shareRow(["no edge"], absent))), "shares"));
    }
    if (pair.gain) {
      const said = visible(pair.gain);
      parts.push(make("p", `${said[0].toUpperCase()}${said.slice(1)}.`));
    }
    if (pair.forms) parts.push(make("p", "The score read ", visible(pair.forms.join("; ")), "."));
    return parts;
  }

  function shareRow(label, share) {
    const gauge = document.createElementNS(SVG, "svg");
    gauge.setAttribute("viewBox", "0 0 100 10");
    gauge.setAttribute("preserveAspectRatio", "none");
    gauge.setAttribute("class", "bar");
    gauge.setAttribute("aria-hidden", "true");
    [["whole", 1], ["part", share]].forEach(([kind, part]) => {
      const rect = document.createElementNS(SVG, "rect");
      rect.setAttribute("class", kind);
      rect.setAttribute("width", 100 * part);
      rect.setAttribute("height", 10);
      gauge.append(rect);
    });
    return make("tr", make("td", ...label), withClass(make("td", gauge, " ", withClass(make("span", percent(share)), "share")), "num"));
  }

  function joinedShare(pair) {
    const sum = Object.values(pair.likely).reduce((total, share) => total + share, 0);
    return Math.round(1e5 * sum) / 1e5; // shares may miss one by a hair
  }

  function thisWay(pair, a, b, symbol) {
    return pair.likely[a < b ? symbol : MIRROR[symbol] || symbol] || 0;
  }

  function percent(share) {
    if (share > 0 && share < 0.01) return "under 1\u00a0%";
    return share > 0.99 && share < 1 ? "over 99\u00a0%" : `${Math.round(100 * share)}\u00a0%`;
  }

  function tellNode(node) {
    const items = content.edges.flatMap(([a, b, symbol], k) => {
      if (a !== node && b !== node) return [];
      const sign = withClass(make("span", SIGNS[symbol]), "mark");
      const link = withClass(make("button", nameOf(a), " ", sign, " ", nameOf(b)), "link");
      link.type = "button";
      link.addEventListener("click", () => chooseEdge(k));
      return [make("li", link)];
    });
    const list = items.length ? make("ul", ...items) : make("p", "It has no edges.");
    told.replaceChildren(make("h3", nameOf(node)), list, note("Hold Shift and choose another column, or choose it above."));
  }

  function tellNothing() {
    told.replaceChildren(note("Nothing is chosen."));
  }

  function note(text) {
    return withClass(make("p", text), "note");
  }

  function tableOf(tests) {
    const byP = tests.some((test) => test[TEST.p] !== null);
    const heads = ["Given", "Decision", byP ? "p" : "Statistic", ...(content.samples === null ? [] : ["Per cell"])];
    const rows = tests.map((test) => {
      const given = test[TEST.given];
      const numbers = byP ? number(test[TEST.p]) : `${number(test[TEST.statistic])} (${number(test[TEST.threshold])})`;
      const cells = [
        make("td", ...(given.length ? listOf(given) : ["nothing"])),
        make("td", test[TEST.decision], ...doubtsOf(test)),
        withClass(make("td", numbers), "num"),
      ];
      cells[2].title = `statistic ${number(test[TEST.statistic])}, degrees of freedom ${number(test[TEST.dof])}`;
      if (content.samples !== null) cells.push(withClass(make("td", number(test[TEST.perCell])), "num"));
      return make("tr", ...cells);
    });
    const top = make("tr", ...heads.map((head, i) => (i < 2 ? make("th", head) : withClass(make("th", head), "num"))));
    return withClass(make("div", make("table", make("thead", top), make("tbody", ...rows))), "wide");
  }

  function doubtsOf(test) {
    return test[TEST.doubts].length ? [make("br"), withClass(make("span", test[TEST.doubts].join("; ")), "doubt")] : [];
  }

  // ------------------------------------------------------------------------------------------------- choosing

  const drawing = byId("drawing");
  const picture = drawing && drawing.querySelector("svg");
  const edges = picture ? all("g.edge", picture) : [];
  const nodes = picture ? all("g.node", picture) : [];
  let chosenNode = null;
  let chosenEdge = null;

  function mark(pair, between, near) {
    const strong = new Set(pair);
    nodes.forEach((element, i) => {
      element.classList.toggle("chosen", strong.has(i));
      element.classList.toggle("between", between.includes(i));
      element.classList.toggle("near", near.includes(i));
    });
    edges.forEach((element, k) => element.classList.toggle("chosen", k === chosenEdge || (near.length > 0 && content.edges[k].includes(pair[0]))));
    all("tr.chosen").forEach((row) => row.classList.remove("chosen"));
    const link = chosenEdge === null ? null : document.querySelector(`[data-edge="${chosenEdge}"]`);
    if (link) link.closest("tr").classList.add("chosen");
    if (drawing) drawing.classList.toggle("choosing", pair.length > 0);
  }

  function chooseEdge(k, ends = content.edges[k]) {
    const [a, b] = ends;
    [chosenEdge, chosenNode] = [k, null];
    mark([a, b], [], []);
    [first.value, second.value] = [a, b];
    tellEdge(k);
  }

  function choosePair(a, b) {
    if (a === b) return chooseNode(a);
    if (edgeOf.has(key(a, b))) return chooseEdge(edgeOf.get(key(a, b)), [a, b]);
    [chosenEdge, chosenNode] = [null, a];
    const pair = known(a, b);
    mark([a, b], (pair && pair.set) || [], []);
    [first.value, second.value] = [a, b];
    return tellPair(a, b);
  }

  function chooseNode(node) {
    [chosenEdge, chosenNode] = [null, node];
    const near = content.edges.filter(([a, b]) => a === node || b === node).map(([a, b]) => (a === node ? b : a));
    mark([node], [], near.length ? near : [node]);
    if (first.value === "" || second.value !== "") [first.value, second.value] = [node, ""];
    tellNode(node);
  }

  function letGo() {
    [chosenEdge, chosenNode] = [null, null];
    [first.value, second.value] = ["", ""];
    mark([], [], []);
    tellNothing();
  }

  function comeIntoView() {
    told.scrollIntoView({ block: "nearest" });
  }

  // ---------------------------------------------------------------------------------------- zooming and moving

  let home = null;
  let view = null;

  function show(next) {
    view = next;
    picture.setAttribute("viewBox", `${view.x} ${view.y} ${view.w} ${view.h}`);
    drawing.classList.toggle("near", view.w < home.w * 0.98);
  }

  function fit() {
    const explore = document.querySelector(".explore");
    explore.classList.toggle("stacked", home.w > 900 && home.w > 1.6 * home.h); // wide graphs get the whole width
    const height = Math.min(home.h * Math.min(drawing.clientWidth / home.w, 1.5) + 100, window.innerHeight * 0.75);
    drawing.style.height = `${Math.max(height, 300)}px`;
    const box = drawing.getBoundingClientRect();
    const [w, h] = [home.w, home.h];
    const scale = Math.min(box.width / w, box.height / h, 1.5); // small graphs are not blown up
    const size = { w: Math.max(w, box.width / scale), h: Math.max(h, box.height / scale) };
    show({ x: (w - size.w) / 2, y: (h - size.h) / 2, ...size });
  }

  function zoom(factor, at = null) {
    const w = Math.min(Math.max(view.w * factor, 60), home.w * 8);
    const ratio = w / view.w;
    const point = at || { x: view.x + view.w / 2, y: view.y + view.h / 2 };
    show({ x: point.x - (point.x - view.x) * ratio, y: point.y - (point.y - view.y) * ratio, w, h: view.h * ratio });
  }

  function move(dx, dy) {
    show({ ...view, x: view.x + dx * view.w, y: view.y + dy * view.h });
  }

  function pointAt(event) {
    const place = new DOMPoint(event.clientX, event.clientY).matrixTransform(picture.getScreenCTM().inverse());
    return { x: place.x, y: place.y };
  }

  function reveal(k) {
    const box = edges[k].getBBox();
    const inside = box.x >= view.x && box.y >= view.y && box.x + box.width <= view.x + view.w && box.y + box.height <= view.y + view.h;
    if (!inside) show({ ...view, x: box.x + box.width / 2 - view.w / 2, y: box.y + box.height / 2 - view.h / 2 });
  }

  function followPointers() {
    const fingers = new Map();
    let moved = false;
    drawing.addEventListener("pointerdown", (event) => {
      fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
      moved = false;
    });
    drawing.addEventListener("pointermove", (event) => {
      const last = fingers.get(event.pointerId);
      if (!last) return;
      const scale = view.w / drawing.getBoundingClientRect().width;
      if (fingers.size === 2) {
        const other = [...fingers].find(([id]) => id !== event.pointerId)[1];
        const before = Math.hypot(last.x - other.x, last.y - other.y);
        const after = Math.hypot(event.clientX - other.x, event.clientY - other.y);
        if (before > 0 && after > 0) zoom(before / after, pointAt(event));
      } else {
        show({ ...view, x: view.x - (event.clientX - last.x) * scale, y: view.y - (event.clientY - last.y) * scale });
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

  function followKeys() {
    const step = (by) => {
      if (!edges.length) return;
      const start = chosenEdge === null ? (by > 0 ? -1 : 0) : chosenEdge;
      chooseEdge((start + by + edges.length) % edges.length);
      reveal(chosenEdge);
    };
    const keys = {
      "+": () => zoom(0.8), "=": () => zoom(0.8), "-": () => zoom(1.25), 0: fit, Escape: letGo,
      ArrowLeft: () => move(-0.1, 0), ArrowRight: () => move(0.1, 0), ArrowUp: () => move(0, -0.1), ArrowDown: () => move(0, 0.1),
      n: () => step(1), p: () => step(-1), N: () => step(1), P: () => step(-1),
    };
    drawing.tabIndex = 0;
    drawing.setAttribute("role", "application");
    drawing.setAttribute("aria-label", "The graph: arrow keys move, plus and minus zoom, N and P step through its edges");
    drawing.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || !(event.key in keys)) return;
      event.preventDefault();
      keys[event.key]();
    });
  }

  function tip(event, ...children) {
    const box = drawing.getBoundingClientRect();
    const element = byId("tip");
    element.replaceChildren(...children);
    element.hidden = false;
    const left = Math.min(event.clientX - box.left + 14, box.width - element.offsetWidth - 6);
    element.style.left = `${Math.max(left, 4)}px`;
    element.style.top = `${event.clientY - box.top + 16}px`;
  }

  function edgeTip(k) {
    const [a, b, symbol] = content.edges[k];
    const pair = known(a, b);
    const best = nearest(pair.tests);
    const parts = [nameOf(a), ` ${SIGNS[symbol]} `, nameOf(b)];
    if (pair.likely) parts.push(make("br"), `joined ${percent(joinedShare(pair))}, this way ${percent(thisWay(pair, a, b, symbol))}`);
    if (best) {
      const value = best[TEST.p] === null ? `statistic ${number(best[TEST.statistic])}` : `p = ${number(best[TEST.p])}`;
      parts.push(make("br"), `nearest to removal: ${value}`);
      if (best[TEST.given].length) parts.push(" given ", ...listOf(best[TEST.given]));
      if (best[TEST.doubts].length) parts.push(make("br"), best[TEST.doubts].join("; "));
    }
    return parts;
  }

  function bringToLife() {
    const [w, h] = picture.getAttribute("viewBox").split(" ").slice(2).map(Number);
    home = { w, h };
    all("title", picture).forEach((title) => title.remove()); // the browser's own tips would cover ours
    edges.forEach((element, k) => {
      const seen = element.querySelector("path");
      seen.classList.add("seen");
      const hit = seen.cloneNode();
      hit.setAttribute("class", "hit");
      element.append(hit);
      const pair = known(content.edges[k][0], content.edges[k][1]);
      const best = nearest(pair.tests);
      element.classList.toggle("thin", best !== null && best[TEST.doubts].length > 0);
      element.addEventListener("click", (event) => { event.stopPropagation(); chooseEdge(k); comeIntoView(); });
      element.addEventListener("pointermove", (event) => { element.classList.add("over"); tip(event, ...edgeTip(k)); });
      element.addEventListener("pointerleave", () => { element.classList.remove("over"); byId("tip").hidden = true; });
    });
    nodes.forEach((element, i) => {
      element.classList.toggle("target", content.target === i);
      element.classList.toggle("member", content.members.includes(i));
      element.addEventListener("click", (event) => {
        event.stopPropagation();
        if (event.shiftKey && chosenNode !== null) choosePair(chosenNode, i);
        else chooseNode(i);
        comeIntoView();
      });
      element.addEventListener("pointermove", (event) => { element.classList.add("over"); tip(event, nameOf(i)); });
      element.addEventListener("pointerleave", () => { element.classList.remove("over"); byId("tip").hidden = true; });
    });
    const plain = picture.cloneNode(true);
    drawing.classList.add("live");
    const actions = { in: () => zoom(0.7), out: () => zoom(1.4), fit, save: () => save(plain) };
    byId("tools").hidden = false;
    all("[data-do]").forEach((button) => button.addEventListener("click", actions[button.dataset.do]));
    followPointers();
    followKeys();
    fit();
    window.addEventListener("resize", () => { if (!matchMedia("print").matches) fit(); });
    window.addEventListener("beforeprint", () => show({ x: 0, y: 0, ...home }));
    window.addEventListener("afterprint", fit);
  }

  function save(plain) {
    const file = new Blob([new XMLSerializer().serializeToString(plain)], { type: "image/svg+xml" });
    const link = document.createElement("a");
    link.href = URL.createObjectURL(file);
    link.download = "graph.svg";
    link.click();
    URL.revokeObjectURL(link.href);
  }

  // -------------------------------------------------------------------------------------------------- tables

  function makeSortable(table) {
    const body = table.tBodies[0];
    const order = new Intl.Collator("en", { numeric: true });
    all("th", table).forEach((head, column) => {
      const button = make("button", ...head.childNodes);
      button.type = "button";
      head.replaceChildren(button);
      const numeric = head.classList.contains("num");
      button.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") === "ascending";
        all("th", table).forEach((other) => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const value = (row) => row.cells[column].dataset.value;
        const compare = (a, b) => {
          if (!numeric) return order.compare(value(a), value(b));
          if (value(a) === "" || value(b) === "") return (value(a) === "") - (value(b) === ""); // gaps at the end
          return (Number(value(a)) - Number(value(b))) * (down ? -1 : 1);
        };
        const rows = [...body.rows].sort(compare);
        body.append(...(down && !numeric ? rows.reverse() : rows));
      });
    });
  }

  // --------------------------------------------------------------------------------------------------- begin

  function fill(select) {
    const none = make("option", "choose…");
    none.value = "";
    select.append(none);
    names.slice(0, content.nodes.length).forEach((text, i) => {
      const shown = visible(text);
      const option = make("option", shown.length > 60 ? `${shown.slice(0, 59)}…` : shown);
      option.value = i;
      select.append(option);
    });
    select.addEventListener("change", () => {
      const chosen = [first, second].filter((field) => field.value !== "").map((field) => Number(field.value));
      if (chosen.length === 2) choosePair(...chosen);
      else if (chosen.length === 1) chooseNode(chosen[0]);
      else letGo();
    });
  }

  function switchTheme() {
    const root = document.documentElement;
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  }

  document.documentElement.classList.add("scripted");
  all("table.sortable").forEach(makeSortable);
  byId("theme").hidden = false;
  byId("theme").addEventListener("click", switchTheme);
  if (content.nodes.length > 1) {
    panel.hidden = false;
    fill(first);
    fill(second);
    tellNothing();
  }
  if (picture) bringToLife();
  window.addEventListener("beforeprint", () => all("details").forEach((part) => { part.open = true; }));
  all("g.faint").forEach((pair) => pair.addEventListener("click", (event) => {
    event.stopPropagation();
    choosePair(...pair.dataset.pair.split(",").map(Number));
    comeIntoView();
  }));
  all("[data-edge], button[data-pair]").forEach((link) => link.addEventListener("click", () => {
    if (link.dataset.pair) choosePair(...link.dataset.pair.split(",").map(Number));
    else chooseEdge(Number(link.dataset.edge));
    byId("graph").scrollIntoView({ block: "start" });
    if (picture && chosenEdge !== null) reveal(chosenEdge);
  }));
})();
