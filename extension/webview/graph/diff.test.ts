import { describe, expect, test } from 'vitest';
import { toDot, toText } from './export';
import { between, left, NO_FILTER } from './filters';
import { countsText, formula, places, sameRewrite } from './diff';
import { buildTree } from './groups';
import { layout } from './layout';
import { packJob, packLayout, unpackJob, unpackLayout } from './layout-wire';
import { buildGraph, type ChangeState, changeOf, type Graph, subgraph } from './model';
import { SceneBuilder } from './scene';
import { shiftBetween } from './stability';
import { graphOf, type NodeSpec } from './testing';

/** x → div → exp → out, where `div` gave way to `mul`, once in each of `layers`. */
function compared(layers: number): Graph {
  const nodes: NodeSpec[] = [{ name: 'x', op: 'placeholder' }];
  const states: ChangeState[] = ['same'];
  const edgeStates: string[] = [];
  for (let l = 0; l < layers; l++) {
    const from = nodes.length - 1;
    const at = nodes.length;
    const module = `layers.${l}`;
    nodes.push({ name: `div_${l}`, inputs: [from], module });
    nodes.push({ name: `mul_${l}`, inputs: [from], module });
    nodes.push({ name: `exp_${l}`, inputs: [at, at + 1], module });
    states.push('removed', 'added', 'changed');
    edgeStates.push('removed', 'added', 'removed', 'added');
  }
  const data = graphOf(nodes);
  data.targets = data.targets.map((target) => target.replace(/_\d+/, ''));
  const none = nodes.map(() => []);
  const diff = { graph: data, states, edgeStates, was: nodes.map(() => ''), replaces: none };
  const sizes = { nodesBefore: 0, nodesAfter: 0, edgesBefore: 0, edgesAfter: 0, delta: 0 };
  return buildGraph(data, changeOf({ ...diff, ...sizes }));
}

describe('changes', () => {
  test('are listed by module, with equal rewrites told', () => {
    const graph = compared(3);
    const found = places(graph, buildTree(graph));
    expect(found.map(({ title, counts }) => [title, countsText(counts)])).toEqual(
      [0, 1, 2].map((l) => [`layers.${l}`, '+1 \u22121 ~1']),
    );
    expect(sameRewrite(found)).toBe('The same rewrite in three places.');
    expect(sameRewrite(found.slice(1))).toBe('The same rewrite in two places.');
    expect(sameRewrite(found.slice(2))).toBeNull();
    expect(sameRewrite([...found, { ...found[0], shape: 'other' }])).toBeNull();
  });

  test('Δ is written with its parts', () => {
    const sizes = { nodesBefore: 839, nodesAfter: 887, edgesBefore: 1116, edgesAfter: 1180 };
    expect(formula(sizes)).toBe(
      'Δ = (839 \u2212 887) + (1116 \u2212 1180) = \u221248 \u2212 64 = '.replaceAll('\\u2212', '\u2212'),
    );
  });

  test('a drawn edge is added or removed when all that it stands for are', async () => {
    const graph = compared(2);
    const builder = new SceneBuilder(graph, buildTree(graph));
    const changes = async (open: string[]): Promise<Set<ChangeState>> =>
      new Set((await builder.build(new Set(open))).paths.map(({ change }) => change));
    expect([...(await changes(['layers.0', 'layers.1']))]).toEqual(expect.arrayContaining(['added', 'removed']));
    expect(await changes([])).toEqual(new Set(['same']));
  });
});

describe('filters', () => {
  test('changed only keeps what changed and its neighbours', () => {
    const graph = compared(2);
    const kept = left(graph, { ...NO_FILTER, changed: true })!;
    expect(kept.size).toBe(graph.size);
    const { graph: part } = subgraph(graph, new Set([1, 3]));
    expect(part.change!.states).toEqual(['removed', 'changed']);
    expect([...part.change!.edges.values()]).toEqual(['removed']);
  });

  test('a path is found in both directions, and none where there is none', () => {
    const graph = buildGraph(
      graphOf([{ name: 'a' }, { name: 'b', inputs: [0] }, { name: 'c', inputs: [1] }, { name: 'd', inputs: [0] }]),
    );
    expect(between(graph, 0, 2)).toEqual(new Set([0, 1, 2]));
    expect(between(graph, 2, 0)).toEqual(new Set([0, 1, 2]));
    expect(between(graph, 2, 3)).toEqual(new Set());
    expect(between(graph, undefined, 3)).toEqual(new Set());
  });

  test('several leave what each of them leaves', () => {
    const graph = compared(2);
    const around = { name: 'exp_0', hops: 1 };
    const both = left(graph, { ...NO_FILTER, around, path: { from: 'x', to: 'exp_0' } })!;
    expect([...both].map((i) => graph.data.names[i]).sort()).toEqual(['div_0', 'exp_0', 'mul_0']);
    expect(left(graph, NO_FILTER)).toBeNull();
  });
});

describe('the way to the worker', () => {
  test('loses nothing', () => {
    const items = [
      { w: 10, h: 20, kind: 'in' },
      { w: 30, h: 20, kind: 'box', anchor: 7 },
      { w: 30, h: 20, kind: 'box' },
    ] as const;
    const edges = [
      { from: 0, to: 1, toX: 4 },
      { from: 1, to: 2, fromX: 3 },
    ];
    const options = { top: 5, minW: 0, maxRowW: 500 };
    expect(unpackJob(packJob(1, items, edges, options))).toEqual([items, edges, options]);
    const made = layout(items, edges, options);
    expect(unpackLayout(packLayout(1, made))).toEqual(made);
  });
});

test('what two states have in common stays in place', async () => {
  const chain = (names: readonly string[]): Graph =>
    buildGraph(graphOf(names.map((name, i) => ({ name, inputs: i === 0 ? [] : [i - 1] }))));
  const picture = async (
    graph: Graph,
  ): Promise<{ graph: Graph; scene: Awaited<ReturnType<SceneBuilder['build']>> }> => ({
    graph,
    scene: await new SceneBuilder(graph, buildTree(graph)).build(new Set()),
  });
  const names = Array.from({ length: 12 }, (_, i) => `n${i}`);
  const before = await picture(chain(names));
  const after = await picture(chain(names.filter((name) => name !== 'n1')));
  const low = before.scene.boxes[before.scene.at.get(6)!];
  const now = after.scene.boxes[after.scene.at.get(5)!];
  const view = { x: low.x, y: low.y, w: 400, h: 1000 };
  expect(shiftBetween(before, after, view)).toEqual({ dx: now.x - low.x, dy: now.y - low.y });
  const other = await picture(chain(names.map((name) => `other_${name}`)));
  expect(shiftBetween(before, other, view)).toBeNull();
});

describe('files', () => {
  test('DOT has open groups as clusters, closed ones as boxes, and each edge once', () => {
    const graph = compared(2);
    const tree = buildTree(graph);
    const dot = toDot(graph, tree, new Set(['layers.0']));
    expect(dot).toContain('subgraph "cluster_layers.0" {');
    expect(dot).toContain('"glayers.1" [label="layers.1\\\\n3 ops", style=bold];'.replaceAll('\\\\', '\\'));
    expect(dot).toContain('style=dashed');
    const edges = dot.split('\n').filter((line) => line.includes('->'));
    expect(new Set(edges).size).toBe(edges.length);
  });

  test('text has one line a node, with what became of it', () => {
    const lines = toText(compared(1)).trimEnd().split('\n');
    expect(lines.map((line) => line.slice(0, 2))).toEqual(['x ', '- ', '+ ', '~ '].map((s, i) => (i === 0 ? '  ' : s)));
  });
});
