// Lays the same graph out with a general library, in a process of its own: `other_layouts.mjs dagre|d3-dag LAYERS`.
import { forwardGraph } from '../webview/synthetic.mjs';

const [, , library, layers] = process.argv;
const graph = forwardGraph('big', Number(layers));
const size = graph.names.length;
const [W, H] = [240, 26];

async function dagre() {
  const { default: lib } = await import('@dagrejs/dagre');
  const g = new lib.graphlib.Graph();
  g.setGraph({ ranker: 'longest-path' });
  g.setDefaultEdgeLabel(() => ({}));
  for (let i = 0; i < size; i++) g.setNode(String(i), { width: W, height: H });
  for (let e = 0; e < graph.edges.length; e += 2) g.setEdge(String(graph.edges[e]), String(graph.edges[e + 1]));
  const from = performance.now();
  lib.layout(g);
  return performance.now() - from;
}

async function d3dag() {
  const lib = await import('d3-dag');
  const parents = Array.from({ length: size }, () => []);
  for (let e = 0; e < graph.edges.length; e += 2) parents[graph.edges[e + 1]].push(String(graph.edges[e]));
  const dag = lib.graphStratify()(parents.map((parentIds, i) => ({ id: String(i), parentIds })));
  const layout = lib
    .sugiyama()
    .nodeSize(() => [W, H])
    .layering(lib.layeringLongestPath())
    .decross(lib.decrossTwoLayer().order(lib.twolayerAgg()))
    .coord(lib.coordGreedy());
  const from = performance.now();
  layout(dag);
  return performance.now() - from;
}

try {
  const ms = await (library === 'dagre' ? dagre() : d3dag());
  console.log(`laid out in ${(ms / 1000).toFixed(1)} s`);
} catch (error) {
  console.log(`failed: ${error.message}`);
}
