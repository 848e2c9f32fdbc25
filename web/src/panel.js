// What is told about an edge, a pair or a column.
import { content, hasProbabilities, joinedShare, known, MIRROR, nearest, SIGNS, TEST, thisWay } from "./content.js";
import { button, byId, drawn, gauge, listOf, make, nameOf, note, number, percent, sentence, visible, withClass } from "./elements.js";
import { sayingTools } from "./say.js";

const told = byId("told");
const panel = byId("panel");

function tell(...parts) {
  panel.classList.toggle("empty", parts.length === 0);
  told.replaceChildren(...(parts.length ? parts : [note("Nothing is chosen.")]));
}

export function tellNothing() {
  tell();
}

const sign = (symbol) => withClass(make("span", SIGNS[symbol]), "mark");
const upper = (text) => `${text[0].toUpperCase()}${text.slice(1)}`;

export function tellEdge(k, actions) {
  const [a, b, symbol] = content.edges[k];
  const pair = known(a, b);
  const parts = [make("h3", nameOf(a), " ", sign(symbol), " ", nameOf(b))];
  if (content.compare) return tell(...parts, ...compared(a, b), ...around(a, b, actions));
  parts.push(make("p", ...sentence(content.meanings[symbol] || "", a, b)));
  parts.push(...sureness(a, b, pair), ...behind(a, b, pair));
  if (pair.why) parts.push(make("h4", "Why this direction"), make("ul", ...pair.why.map((why) => make("li", visible(why)))));
  if (pair.tests.length) {
    parts.push(make("h4", "The tests that kept it"), tableOf(pair.tests));
    parts.push(note("For each number of columns held fixed, the test that came nearest to separating the two."));
  } else if (!pair.likely && !pair.gain) {
    parts.push(note("No test was asked about this pair."));
  }
  return tell(...parts, ...around(a, b, actions), ...sayingTools(a, b));
}

export function tellPair(a, b, actions) {
  const pair = known(a, b);
  const parts = [make("h3", nameOf(a), " and ", nameOf(b))];
  if (content.compare) return tell(...parts, ...compared(a, b), ...around(a, b, actions));
  if (!pair) {
    parts.push(make("p", "Not joined. This page is too large to hold the reasons; result.why(x, y) has them."));
  } else if (pair.set && pair.set.length) {
    parts.push(make("p", "Not joined: independent given ", ...listOf(pair.set), "."));
  } else {
    parts.push(make("p", pair.set ? "Not joined: they are independent." : "Not joined."));
  }
  if (pair) parts.push(...sureness(a, b, pair), ...behind(a, b, pair));
  if (pair && pair.why) parts.push(make("ul", ...pair.why.map((why) => make("li", visible(why)))));
  if (pair && pair.tests.length) parts.push(make("h4", "The test that separated them"), tableOf(pair.tests));
  return tell(...parts, ...around(a, b, actions), ...sayingTools(a, b));
}

export function tellNode(node, actions) {
  const items = content.edges.flatMap(([a, b, symbol], k) => {
    if (a !== node && b !== node) return [];
    const link = button([nameOf(a), " ", sign(symbol), " ", nameOf(b)], () => actions.edge(k), "link");
    const pair = known(a, b);
    const sure = hasProbabilities && pair && pair.likely ? [" ", withClass(make("span", `joined ${percent(joinedShare(pair))}`), "dim")] : [];
    return [make("li", link, ...sure)];
  });
  const list = items.length ? make("ul", ...items) : make("p", "It has no edges.");
  const focus = items.length ? [make("p", button("Show only what is around it", () => actions.focus(node)))] : [];
  tell(make("h3", nameOf(node)), list, ...focus, note("Hold Shift and choose another column, or choose it above."));
}

function around(a, b, actions) {
  const links = [a, b].flatMap((node, i) => [i ? " " : null, button(["Around ", nameOf(node)], () => actions.focus(node), "small")]);
  return [withClass(make("p", ...links), "around")];
}

// How likely each kind of edge is, and what the edge is worth to the score.
function sureness(a, b, pair) {
  const parts = [];
  if (pair.likely) {
    const kinds = Object.entries(pair.likely).map(([kind, share]) => [a < b ? kind : MIRROR[kind] || kind, share]);
    const absent = Math.max(0, 1 - joinedShare(pair));
    const rows = kinds.map(([kind, share]) => shareRow([nameOf(a), ` ${SIGNS[kind]} `, nameOf(b)], share));
    parts.push(make("h4", content.source === "posterior" ? "Probabilities" : "Share of graphs"), withClass(make("table", make("tbody", ...rows, shareRow(["no edge"], absent))), "shares"));
  }
  if (pair.open) parts.push(make("h4", "What else could be"), make("ul", ...pair.open.map((line) => make("li", visible(line)))));
  return parts;
}

function shareRow(label, share) {
  return make("tr", make("td", ...label), withClass(make("td", gauge(share), " ", withClass(make("span", percent(share)), "share")), "num"));
}

// What the rows themselves say: the table as bars, its size, the effect, a second opinion.
function behind(a, b, pair) {
  const parts = [];
  if (pair.table) parts.push(...bars(a, b, pair.table));
  if (pair.effect) parts.push(make("h4", "If it were set"), ...pair.effect.map((line) => make("p", visible(line))));
  if (pair.second) parts.push(make("h4", "A second opinion"), secondOpinion(pair.second));
  if (pair.gain) parts.push(make("p", `${upper(visible(pair.gain))}.`));
  if (pair.forms) parts.push(make("p", "How the score reads numbers: ", visible(pair.forms.join("; ")), "."));
  return parts;
}

function bars(a, b, table) {
  const [cause, effect] = (a < b) === !table.turned ? [a, b] : [b, a];
  const rows = table.levels.map((level, i) => {
    const total = table.n[i].reduce((sum, count) => sum + count, 0);
    let x = 0;
    const rects = table.n[i].map((count, j) => {
      const width = total ? (100 * count) / total : 0;
      const rect = drawn("rect", { class: `level o${j % 8}`, x, y: 0, width, height: 14 });
      rect.append(drawn("title", {}, `${visible(table.outcomes[j])}: ${count} of ${total} (${percent(total ? count / total : 0)})`));
      x += width;
      return rect;
    });
    const bar = drawn("svg", { class: "stack", viewBox: "0 0 100 14", preserveAspectRatio: "none", role: "img" }, ...rects);
    bar.setAttribute("aria-label", table.outcomes.map((outcome, j) => `${visible(outcome)} ${percent(total ? table.n[i][j] / total : 0)}`).join(", "));
    return make("tr", make("th", withClass(make("bdi", visible(level)), "name")), make("td", bar), withClass(make("td", `${total.toLocaleString("en")}`), "num"));
  });
  const keys = table.outcomes.map((outcome, j) => {
    const swatch = drawn("svg", { class: "swatch", viewBox: "0 0 10 10", "aria-hidden": "true" }, drawn("rect", { class: `level o${j % 8}`, width: 10, height: 10 }));
    return make("span", swatch, " ", withClass(make("bdi", visible(outcome)), "name"));
  });
  const heads = make("tr", make("th", nameOf(cause)), make("th", nameOf(effect)), withClass(make("th", "rows"), "num"));
  const parts = [
    make("h4", nameOf(effect), " by ", nameOf(cause)),
    withClass(make("table", make("thead", heads), make("tbody", ...rows)), "crossed"),
    withClass(make("p", ...keys), "keys-of-bars"),
  ];
  if (table.sentence) parts.push(make("p", visible(table.sentence)));
  const size = [];
  if (table.size !== null) size.push(`Cramér's V ${table.size.toFixed(2)} (0: nothing to do with each other, 1: one tells the other)`);
  if (table.sign !== null) size.push(`they ${table.sign >= 0 ? "go up together" : "go opposite ways"}, Kendall's tau ${table.sign.toFixed(2)}`);
  const used = `${table.used.toLocaleString("en")} of ${table.rows.toLocaleString("en")} rows have both values`;
  parts.push(note(`${[...size, used].join("; ")}.`));
  return parts;
}

function secondOpinion(second) {
  const said = { true: " agrees", false: " says the opposite", null: " is undecided" }[String(second.agrees)];
  const given = second.given.length ? [" given ", ...second.given.flatMap((name, i) => [i ? ", " : null, withClass(make("bdi", visible(name)), "name")])] : [];
  const line = make("p", "A calibrated test (", second.test, ")", said, `: ${second.p < 0.0001 ? "p under 0.0001" : `p = ${number(second.p)}`}`, ...given, `, ${second.rows.toLocaleString("en")} rows.`);
  return second.agrees === false ? withClass(line, "doubt") : line;
}

function tableOf(tests) {
  const byP = tests.some((test) => test[TEST.p] !== null);
  const heads = ["Given", "Decision", byP ? "p" : "Statistic", ...(content.samples === null ? [] : ["Per cell"])];
  const rows = tests.map((test) => {
    const numbers = test[TEST.p] === null ? number(test[TEST.statistic]) : number(test[TEST.p]);
    const cells = [
      make("td", ...(test[TEST.given].length ? listOf(test[TEST.given]) : ["nothing"])),
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

// What two results say about one pair.
function compared(a, b) {
  const { first, second, pairs } = content.compare;
  const both = pairs[a < b ? `${a},${b}` : `${b},${a}`];
  const turn = (symbol) => (symbol === null ? "no edge" : `${SIGNS[a < b ? symbol : MIRROR[symbol] || symbol]}`);
  const rows = [[first, both && both[0]], [second, both && both[1]]].map(([label, side]) => {
    const drawnAs = make("td", side && side.edge !== null ? turn(side.edge) : "no edge");
    const sure = side && side.joined !== null ? [gauge(side.joined), " ", withClass(make("span", percent(side.joined)), "share")] : ["–"];
    const way = side && side.direction !== null ? percent(side.direction) : "–";
    return make("tr", make("th", withClass(make("bdi", visible(label)), "name")), drawnAs, withClass(make("td", ...sure), "num"), withClass(make("td", way), "num"));
  });
  const heads = make("tr", ...["", "Drawn as", "Joined", "This direction"].map((head, i) => (i < 2 ? make("th", head) : withClass(make("th", head), "num"))));
  return [withClass(make("table", make("thead", heads), make("tbody", ...rows)), "compared")];
}

export function edgeTip(k) {
  const [a, b, symbol] = content.edges[k];
  const pair = known(a, b);
  const parts = [nameOf(a), ` ${SIGNS[symbol]} `, nameOf(b)];
  if (!pair) return parts;
  const best = nearest(pair.tests);
  if (pair.likely) parts.push(make("br"), `joined ${percent(joinedShare(pair))}, as drawn ${percent(thisWay(pair, a, b, symbol))}`);
  if (best) {
    const value = best[TEST.p] === null ? `statistic ${number(best[TEST.statistic])}` : `p = ${number(best[TEST.p])}`;
    parts.push(make("br"), `nearest to removal: ${value}`);
    if (best[TEST.given].length) parts.push(" given ", ...listOf(best[TEST.given]));
    if (best[TEST.doubts].length) parts.push(make("br"), best[TEST.doubts].join("; "));
  }
  return parts;
}
