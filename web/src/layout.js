// Where to draw: layers by d3-dag (Sugiyama), causes before effects, connected parts packed beside each other.
import { coordGreedy, decrossTwoLayer, graphStratify, sugiyama, twolayerAgg, twolayerGreedy } from "d3-dag";

export const BOX_HEIGHT = 28;
const LAYER_GAP = 46;
const SIDE_GAP = 22;
const PART_GAP = 40;
const LANE_HEAD = 30;

/**
 * Lay out nodes and edges.
 *
 * nodes: [{ id, width, lane }], edges: [{ from, to }] with `from` before `to` in one order of all nodes; ids are
 * numbers. With `lanes`, the number of lanes, layers run from left to right and every lane has its own.
 * Returns { width, height, places: Map id -> [x, y], trails: [points of edge k], lanes: [{ from, to }] | null }.
 */
export function layOut(nodes, edges, { lanes = 0, room = { width: 900, height: 600 } } = {}) {
  if (lanes) return withLanes(nodes, edges, lanes);
  const down = packed(nodes, edges, room, false);
  if (nodes.length > 60) return down;
  const right = packed(nodes, edges, room, true);
  const scale = (one) => Math.min(room.width / one.width, room.height / one.height, 1.2);
  return scale(right) > 1.15 * scale(down) ? right : down;
}

function withLanes(nodes, edges, lanes) {
  const found = layered(nodes, edges, true, lanes);
  const edgesOfLanes = found.lanes;
  for (const place of found.places.values()) place[1] += LANE_HEAD;
  found.trails.forEach((trail) => trail.forEach((point) => { point[1] += LANE_HEAD; }));
  return { ...found, height: found.height + LANE_HEAD, lanes: edgesOfLanes };
}

// Parts that hang together are laid out one by one and put on shelves; columns without edges come last.
function packed(nodes, edges, room, sideways) {
  const parts = connected(nodes, edges);
  const drawn = parts.filter((part) => part.nodes.length > 1).map((part) => ({ part, ...layered(part.nodes, part.edges, sideways) }));
  drawn.sort((a, b) => b.part.nodes.length - a.part.nodes.length);
  const lonely = parts.filter((part) => part.nodes.length === 1).map((part) => part.nodes[0]);
  const area = drawn.reduce((sum, one) => sum + (one.width + PART_GAP) * (one.height + PART_GAP), 0);
  const limit = Math.max(...drawn.map((one) => one.width), Math.sqrt((area * room.width) / room.height), Math.min(room.width, 600));
  const places = new Map();
  const trails = new Array(edges.length);
  let [x, y, shelf, width] = [0, 0, 0, 0];
  for (const one of drawn) {
    if (x && x + one.width > limit) [x, y, shelf] = [0, y + shelf + PART_GAP, 0];
    for (const [id, [px, py]] of one.places) places.set(id, [px + x, py + y]);
    one.part.edges.forEach((edge, k) => { trails[edge.k] = one.trails[k].map(([px, py]) => [px + x, py + y]); });
    width = Math.max(width, x + one.width);
    shelf = Math.max(shelf, one.height);
    x += one.width + PART_GAP;
  }
  if (lonely.length) {
    if (drawn.length) [x, y] = [0, y + shelf + PART_GAP];
    shelf = BOX_HEIGHT;
    for (const node of lonely) {
      if (x && x + node.width > limit) [x, y] = [0, y + BOX_HEIGHT + SIDE_GAP];
      places.set(node.id, [x + node.width / 2, y + BOX_HEIGHT / 2]);
      x += node.width + SIDE_GAP;
      width = Math.max(width, x - SIDE_GAP);
    }
  }
  return { width, height: y + shelf, places, trails, lanes: null };
}

function connected(nodes, edges) {
  const parent = new Map(nodes.map((node) => [node.id, node.id]));
  const root = (id) => {
    let at = id;
    while (parent.get(at) !== at) {
      parent.set(at, parent.get(parent.get(at)));
      at = parent.get(at);
    }
    return at;
  };
  edges.forEach(({ from, to }) => parent.set(root(from), root(to)));
  const parts = new Map();
  for (const node of nodes) {
    const key = root(node.id);
    if (!parts.has(key)) parts.set(key, { nodes: [], edges: [] });
    parts.get(key).nodes.push(node);
  }
  edges.forEach((edge, k) => parts.get(root(edge.from)).edges.push({ ...edge, k }));
  return [...parts.values()];
}

// One layered drawing; sideways layers run from left to right.
function layered(nodes, edges, sideways, lanes = 0) {
  const widest = Math.max(...nodes.map((node) => node.width));
  const layers = layersOf(nodes, edges, lanes);
  const parents = new Map(nodes.map((node) => [String(node.id), []]));
  edges.forEach(({ from, to }) => parents.get(String(to)).push(String(from)));
  const dag = graphStratify()(nodes.map((node) => ({ id: String(node.id), parentIds: parents.get(String(node.id)), node })));
  const layering = (graph, sep) => {
    const step = Math.max(...[...graph.nodes()].map((node) => sep(node, node)));
    for (const node of graph.nodes()) node.y = sep(undefined, node) + layers.get(node.data.node.id) * step;
    return Math.max(...[...graph.nodes()].map((node) => node.y + sep(node, undefined)));
  };
  const size = ({ data }) => (sideways ? [BOX_HEIGHT, widest] : [data.node.width, BOX_HEIGHT]);
  const gap = sideways ? [SIDE_GAP - 6, LAYER_GAP + 14] : [SIDE_GAP, LAYER_GAP];
  const laidOut = sugiyama()
    .layering(layering)
    .decross(decrossTwoLayer().order(twolayerGreedy().base(twolayerAgg())))
    .coord(coordGreedy())
    .nodeSize(size)
    .gap(gap)(dag);
  const turn = ([x, y]) => (sideways ? [y, x] : [x, y]);
  const places = new Map();
  for (const node of dag.nodes()) places.set(node.data.node.id, turn([node.x, node.y]));
  const points = new Map();
  for (const link of dag.links()) points.set(`${link.source.data.id} ${link.target.data.id}`, link.points.map(turn));
  const trails = edges.map(({ from, to }) => points.get(`${from} ${to}`));
  const [width, height] = turn([laidOut.width, laidOut.height]);
  return { width, height, places, trails, lanes: lanes ? bands(nodes, places, lanes, widest) : null };
}

// The layer of every node: below its parents; roots come down to their children; lanes begin where all before end.
function layersOf(nodes, edges, lanes) {
  const below = new Map(nodes.map((node) => [node.id, []]));
  const above = new Map(nodes.map((node) => [node.id, []]));
  edges.forEach(({ from, to }) => { below.get(from).push(to); above.get(to).push(from); });
  const layer = new Map();
  let first = 0;
  for (let lane = 0; lane < Math.max(lanes, 1); lane += 1) {
    const own = nodes.filter((node) => !lanes || node.lane === lane).map((node) => node.id);
    const inside = new Set(own);
    const height = (id) => {
      if (!layer.has(id)) {
        const parents = above.get(id).filter((other) => inside.has(other));
        layer.set(id, parents.length ? 1 + Math.max(...parents.map((other) => height(other))) : first);
      }
      return layer.get(id);
    };
    own.forEach((id) => height(id));
    for (const id of own.filter((one) => !above.get(one).some((other) => inside.has(other)))) {
      const children = below.get(id).filter((other) => inside.has(other));
      if (children.length) layer.set(id, Math.min(...children.map((other) => layer.get(other))) - 1);
    }
    if (own.length) first = Math.max(...own.map((id) => layer.get(id))) + 1;
  }
  return layer;
}

// From where to where each lane reaches, for the heads above them.
function bands(nodes, places, lanes, widest) {
  const found = [];
  for (let lane = 0; lane < lanes; lane += 1) {
    const across = nodes.filter((node) => node.lane === lane).map((node) => places.get(node.id)[0]);
    found.push(across.length ? { from: Math.min(...across) - widest / 2, to: Math.max(...across) + widest / 2 } : null);
  }
  return found;
}
