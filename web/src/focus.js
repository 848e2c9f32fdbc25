// Which columns and edges are shown: around one column, of one group, above a probability; bounded by a number.
import { content, directed, edgeBetween, hasProbabilities, joined, known, leftOut, nearest, rounded, TEST } from "./content.js";

export const AT_ONCE = 40; // columns; larger graphs begin with a part
export const AMOUNTS = [8, 15, 25, 40];
const DENSE = 4; // edges for each column; a graph with more begins with a few columns, whatever its size
const STEP = 0.5; // each step away from the centre counts that much less

const n = content.nodes.length;
const everyone = [...Array(n).keys()];
export const lonely = new Set(everyone);
content.edges.forEach(([a, b]) => { lonely.delete(a); lonely.delete(b); });

export const state = { centre: null, amount: begin(), group: null, least: 0, hideLonely: false, also: [] };

function begin() {
  if (content.edges.length > DENSE * n && n > AMOUNTS[0]) return AMOUNTS[0];
  return n > AT_ONCE ? 25 : Infinity;
}

/** How much an edge says: its probability, or how clear its tests were. */
export function strength(k) {
  const [a, b] = content.edges[k];
  if (hasProbabilities) return joined(a, b);
  const pair = known(a, b);
  const best = pair ? nearest(pair.tests) : null;
  if (best === null) return 0.5;
  return best[TEST.doubts].length ? 0.1 : best[TEST.p] === null ? 0.5 : 1 - best[TEST.p];
}

/** The nodes and edges to show, by number; and pairs that are left out but not unlikely. */
export function chosen() {
  const members = state.group === null ? null : new Set(content.groups[state.group][1]);
  const allowed = (node) => members === null || members.has(node);
  const edges = [...content.edges.keys()].filter((k) => {
    const [a, b] = content.edges[k];
    return allowed(a) && allowed(b) && (!hasProbabilities || rounded(joined(a, b)) >= state.least);
  });
  let nodes = everyone.filter(allowed);
  if (state.centre !== null) nodes = around(state.centre, edges, nodes);
  else if (nodes.length > state.amount) nodes = strongest(edges, nodes);
  if (state.hideLonely) {
    const met = new Set(edges.flatMap((k) => content.edges[k].slice(0, 2)));
    nodes = nodes.filter((node) => met.has(node) || node === state.centre);
  }
  const shown = new Set([...nodes, ...state.also]);
  const inside = ([a, b]) => shown.has(a) && shown.has(b);
  return {
    nodes: [...shown].sort((a, b) => a - b),
    edges: edges.filter((k) => inside(content.edges[k])),
    faint: leftOut.filter(inside),
  };
}

// From the centre outwards, whoever is tied to it most strongly first, until there are enough.
function around(centre, edges, nodes) {
  const near = new Map(nodes.map((node) => [node, []]));
  if (!near.has(centre)) near.set(centre, []);
  for (const k of edges) {
    const [a, b] = content.edges[k];
    near.get(a).push([b, strength(k)]);
    near.get(b).push([a, strength(k)]);
  }
  const weight = new Map([[centre, 1]]);
  const taken = new Set();
  while (taken.size < state.amount) {
    const next = [...weight].filter(([node]) => !taken.has(node)).sort((a, b) => b[1] - a[1] || a[0] - b[0])[0];
    if (!next) break;
    taken.add(next[0]);
    for (const [other, share] of near.get(next[0])) {
      weight.set(other, Math.max(weight.get(other) || 0, next[1] * STEP * (0.2 + 0.8 * share)));
    }
  }
  return [...taken];
}

function strongest(edges, nodes) {
  const taken = new Set();
  const sure = (k) => directed(k) ?? 0; // of edges that are shown to be equally strong, the surest arrow comes first
  for (const k of edges.slice().sort((a, b) => rounded(strength(b)) - rounded(strength(a)) || sure(b) - sure(a) || a - b)) {
    const [a, b] = content.edges[k];
    if (new Set([...taken, a, b]).size <= state.amount) taken.add(a).add(b);
  }
  for (const node of nodes) if (taken.size < Math.min(state.amount, nodes.length)) taken.add(node);
  return [...taken];
}

/** Look at a node or a pair: bring it into what is shown. */
export function bringIn(...nodes) {
  const { nodes: shown } = chosen();
  if (nodes.every((node) => shown.includes(node))) return false;
  if (state.group !== null && !nodes.every((node) => content.groups[state.group][1].includes(node))) state.group = null;
  const k = nodes.length === 2 ? edgeBetween(...nodes) : undefined;
  if (k !== undefined && hasProbabilities && rounded(joined(...nodes)) < state.least) state.least = 0;
  if (nodes.some((node) => lonely.has(node))) state.hideLonely = false;
  if (!nodes.every((node) => chosen().nodes.includes(node))) {
    [state.centre] = nodes;
    state.also = nodes.slice(1); // not joined to the first, perhaps far away
    if (!Number.isFinite(state.amount)) state.amount = 25;
  }
  return true;
}
