// What the page knows, as the data block in it says.
export const content = JSON.parse(document.getElementById("content").textContent);
export const names = content.nodes.concat(content.others);
export const TEST = { given: 0, decision: 1, p: 2, statistic: 3, dof: 4, threshold: 5, perCell: 6, doubts: 7 };
export const SIGNS = {
  "->": "→", "<-": "←", "--": "—", "<->": "↔", "o->": "o→", "<-o": "←o", "o-o": "o–o", "o--": "o—", "--o": "—o",
};
export const MIRROR = { "->": "<-", "<-": "->", "o->": "<-o", "<-o": "o->", "o--": "--o", "--o": "o--" };
export const NOT_UNLIKELY = 0.3;

export const key = (a, b) => (a < b ? `${a},${b}` : `${b},${a}`);
export const known = (a, b) => content.pairs[key(a, b)];

const edges = new Map(content.edges.map(([a, b], k) => [key(a, b), k]));
export const edgeBetween = (a, b) => edges.get(key(a, b));

const likely = content.joined === null ? null : new Map(content.joined.map(([a, b, p]) => [key(a, b), p]));
/** How likely two columns are joined: a probability, or whether there is an edge where nobody tells one. */
export function joined(a, b) {
  if (likely !== null) return likely.get(key(a, b)) || 0;
  return edges.has(key(a, b)) ? 1 : 0;
}
export const hasProbabilities = likely !== null;

/** A share as it is shown: whether it passes a threshold is decided by this. What lies half way is rounded up. */
export const rounded = (share) => Math.floor(100 * share + 0.5 + 1e-7) / 100;

/** How likely an edge is exactly as drawn, over all graphs; null if nobody tells. */
export function directed(k) {
  const [a, b, symbol] = content.edges[k];
  const pair = known(a, b);
  if (!pair || !pair.likely) return null;
  return rounded(thisWay(pair, a, b, symbol));
}

export function joinedShare(pair) {
  const sum = Object.values(pair.likely).reduce((total, share) => total + share, 0);
  return Math.round(1e5 * sum) / 1e5; // shares may miss one by a hair
}

export function thisWay(pair, a, b, symbol) {
  return pair.likely[a < b ? symbol : MIRROR[symbol] || symbol] || 0;
}

/** The test that came nearest to separating two columns. */
export function nearest(tests) {
  const rank = (test) => (test[TEST.p] === null ? -test[TEST.statistic] : test[TEST.p]);
  return tests.reduce((best, test) => (best === null || rank(test) > rank(best) ? test : best), null);
}

/** Pairs outside the graph that are not unlikely to be joined. */
export const leftOut = (content.joined || []).filter(([a, b, p]) => p >= NOT_UNLIKELY && !edges.has(key(a, b)));
