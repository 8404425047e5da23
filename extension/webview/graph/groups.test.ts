import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { buildTree, chain, countBoxes, type Group, initiallyOpen, MAX_CHILDREN, pathParts } from './groups';
import { around } from './filters';
import { buildGraph, byteSize, dimensions, neighbours, subgraph, typeText } from './model';
import { SceneBuilder, standIn } from './scene';
import { matchesByGroup, search } from './search';
import { graphOf, type NodeSpec } from './testing';

const MODULES = [undefined, 'a', 'a.x', 'a.y', 'b.0', 'b.1', 'b.1.c', 'd'];

const anyGraph = (): fc.Arbitrary<NodeSpec[]> =>
  fc
    .array(
      fc.record({
        module: fc.constantFrom(...MODULES),
        back: fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 3 }),
        line: fc.option(fc.nat(4), { nil: undefined }),
        input: fc.boolean(),
        view: fc.boolean(),
      }),
      { minLength: 1, maxLength: 120 },
    )
    .map((rows) =>
      rows.map(({ module, back, line, input, view }, i): NodeSpec => {
        const inputs = (view ? [1] : back).map((b) => i - b).filter((j) => j >= 0);
        const isInput = input && inputs.length === 0;
        return {
          name: `n${i}`,
          inputs,
          ...(isInput ? { op: 'placeholder', kind: 'input' } : view ? { kind: 'view' } : {}),
          ...(module === undefined || isInput ? {} : { module }),
          ...(line === undefined ? {} : { line }),
        };
      }),
    );

function leaves(group: Group): number[] {
  return group.children.flatMap((child) => (typeof child === 'number' ? [child] : leaves(child)));
}

const titles = (group: Group): string[] =>
  group.children.map((child) => (typeof child === 'number' ? `#${child}` : child.title));

describe('tree of groups', () => {
  test('holds each node once and no level has too many boxes', () => {
    fc.assert(
      fc.property(anyGraph(), (nodes) => {
        const tree = buildTree(buildGraph(graphOf(nodes)));
        expect(leaves(tree.root).sort((a, b) => a - b)).toEqual(nodes.map((_, i) => i));
        for (const group of tree.groups.values()) {
          expect(group.children.length).toBeLessThanOrEqual(MAX_CHILDREN);
          expect([...group.nodes].sort((a, b) => a - b)).toEqual(leaves(group).sort((a, b) => a - b));
        }
      }),
    );
  });

  test('a chain of views is one box, where each is the only user of the one before', () => {
    const view = (name: string, input: number): NodeSpec => ({ name, kind: 'view', inputs: [input] });
    const rest = Array.from({ length: 40 }, (_, i): NodeSpec => ({
      name: `add_${i}`,
      inputs: i < 2 ? [0, 4] : [7 + i],
    }));
    const nodes: NodeSpec[] = [
      { name: 'x', op: 'placeholder', kind: 'input' },
      ...[view('permute', 0), view('expand', 1), view('clone', 2), view('view', 3)],
      // Two of a chain, and one whose result is used twice, stay as they are.
      ...[view('view_1', 0), view('view_2', 5), view('permute_2', 0)],
      ...rest,
    ];
    nodes[9] = { name: 'twice', inputs: [6, 7] };
    const tree = buildTree(buildGraph(graphOf(nodes)));
    const chains = [...tree.groups.values()].filter(({ id }) => id.includes('→'));
    expect(chains.map(({ title, nodes: inside }) => [title, inside])).toEqual([
      ['permute → expand → clone → view', [1, 2, 3, 4]],
    ]);
    expect(tree.root.children.filter((child) => typeof child === 'number')).toEqual(
      expect.arrayContaining([0, 5, 6, 7, 8, 9]),
    );
    expect(buildTree(buildGraph(graphOf(nodes.slice(0, 8)))).groups.size, 'a small graph has all in it').toBe(1);
  });

  test('a list of modules shows as its members', () => {
    const nodes = [0, 1, 2].flatMap((i): NodeSpec[] => [
      { name: `a${i}`, module: `layers.${i}` },
      { name: `b${i}`, module: `layers.${i}`, inputs: [2 * i] },
    ]);
    expect(titles(buildTree(buildGraph(graphOf(nodes))).root)).toEqual(['layers.0', 'layers.1', 'layers.2']);
  });

  test('an input goes where its only users are', () => {
    const graph = buildGraph(
      graphOf([
        { name: 'w', op: 'placeholder', kind: 'input' },
        { name: 'x', op: 'placeholder', kind: 'input' },
        { name: 'f', module: 'lin', inputs: [0, 1] },
        { name: 'g', module: 'lin', inputs: [2] },
        { name: 'h', inputs: [1, 3] },
      ]),
    );
    const tree = buildTree(graph);
    expect(tree.home.map((group) => group.id)).toEqual(['lin', '', 'lin', 'lin', '']);
  });

  test('a module that is called twice becomes two groups when data goes through another between', () => {
    const graph = buildGraph(
      graphOf([
        { name: 'a0', module: 'a' },
        { name: 'a1', module: 'a', inputs: [0] },
        { name: 'b0', module: 'b', inputs: [1] },
        { name: 'b1', module: 'b', inputs: [2] },
        { name: 'a2', module: 'a', inputs: [3] },
        { name: 'a3', module: 'a', inputs: [4] },
      ]),
    );
    expect(titles(buildTree(graph).root)).toEqual(['a', 'b', 'a (2)']);
  });

  test('forward and backward of one module are two groups', () => {
    const graph = buildGraph(
      graphOf([
        { name: 'primals_1', op: 'placeholder', kind: 'input' },
        { name: 'f', module: 'a', inputs: [0] },
        { name: 'g', module: 'a', inputs: [1] },
        { name: 'tangents_1', op: 'placeholder', kind: 'input' },
        { name: 'gb', module: 'a', inputs: [3, 2] },
        { name: 'fb', module: 'a', inputs: [4, 1] },
      ]),
    );
    const tree = buildTree(graph);
    expect([...tree.groups.keys()].filter(Boolean)).toEqual(['a', 'a backward']);
    expect(tree.home[5].id).toBe('a backward');
  });

  test('loose nodes are put together by line when there are many', () => {
    const nodes = Array.from({ length: 40 }, (_, i): NodeSpec => ({
      name: `n${i}`,
      line: i < 20 ? 4 : 7,
      inputs: i ? [i - 1] : [],
    }));
    expect(titles(buildTree(buildGraph(graphOf(nodes))).root)).toEqual(['b.py:5', 'b.py:8']);
  });

  test('thousands of nodes without module or line are packed', () => {
    const nodes = Array.from({ length: 20_000 }, (_, i): NodeSpec => ({ name: `n${i}`, inputs: i ? [i - 1] : [] }));
    const tree = buildTree(buildGraph(graphOf(nodes)));
    expect(countBoxes(tree, initiallyOpen(tree)).boxes).toBeLessThanOrEqual(MAX_CHILDREN);
    expect(tree.root.children.length).toBeGreaterThan(10);
  });

  test('a small graph opens whole, a large one closed', () => {
    const make = (layers: number): NodeSpec[] =>
      Array.from({ length: layers * 10 }, (_, i) => ({
        name: `n${i}`,
        module: `l.${Math.floor(i / 10)}`,
        inputs: i ? [i - 1] : [],
      }));
    const small = buildTree(buildGraph(graphOf(make(3))));
    expect(countBoxes(small, initiallyOpen(small)).closed).toBe(0);
    const large = buildTree(buildGraph(graphOf(make(9))));
    expect(countBoxes(large, initiallyOpen(large))).toEqual({ nodes: 0, closed: 9, boxes: 9 });
  });
});

describe('scene', () => {
  test('with any groups open, boxes are inside their frames, do not overlap, and each edge is drawn', async () => {
    await fc.assert(
      fc.asyncProperty(anyGraph(), fc.array(fc.nat(20)), async (nodes, picks) => {
        const graph = buildGraph(graphOf(nodes));
        const tree = buildTree(graph);
        const ids = [...tree.groups.keys()].filter(Boolean);
        const open = new Set(picks.map((pick) => ids[pick % Math.max(1, ids.length)]).filter(Boolean));
        const builder = new SceneBuilder(graph, tree);
        const scene = await builder.build(open);
        for (const a of scene.boxes) {
          const parent = a.group ? a.group.parent : tree.home[a.id as number];
          const frame =
            parent && parent.id !== '' ? scene.boxes[scene.at.get(parent.id)!] : { x: 0, y: 0, w: scene.w, h: scene.h };
          expect(a.x >= frame.x - 0.5 && a.x + a.w <= frame.x + frame.w + 0.5).toBe(true);
          expect(a.y >= frame.y - 0.5 && a.y + a.h <= frame.y + frame.h + 0.5).toBe(true);
          for (const b of scene.boxes) {
            if (a === b || a.kind === 'frame' || b.kind === 'frame') continue;
            const apart = a.x >= b.x + b.w || b.x >= a.x + a.w || a.y >= b.y + b.h || b.y >= a.y + a.h;
            expect(apart).toBe(true);
          }
        }
        const drawn = new Set(scene.paths.map((path) => path.segment));
        for (let node = 0; node < graph.size; node++) {
          const { inputs } = builder.segmentsOf(node);
          for (const segment of inputs) expect(drawn.has(segment)).toBe(true);
          const apart = [...neighbours(graph.inputs, node)].some(
            (j) => standIn(scene, tree, j) !== standIn(scene, tree, node),
          );
          expect(inputs.size > 0).toBe(apart);
        }
      }),
      { numRuns: 60 },
    );
  });

  test('opening a group lays out that group and keeps the others as they are', async () => {
    const nodes = Array.from({ length: 60 }, (_, i): NodeSpec => ({
      name: `n${i}`,
      module: `l.${Math.floor(i / 10)}`,
      inputs: i ? [i - 1] : [],
    }));
    const graph = buildGraph(graphOf(nodes));
    const tree = buildTree(graph);
    const builder = new SceneBuilder(graph, tree);
    const first = await builder.build(new Set(['l.1']));
    let laidOut = 0;
    const second = await builder.build(new Set(['l.1', 'l.4']), () => {
      laidOut++;
      return Promise.resolve();
    });
    expect(laidOut).toBe(2);
    const inside = (scene: typeof first): number[] => {
      const frame = scene.boxes[scene.at.get('l.1')!];
      return scene.boxes
        .filter((box) => typeof box.id === 'number' && box.id >= 10 && box.id < 20)
        .map((box) => box.y - frame.y);
    };
    expect(inside(second)).toEqual(inside(first));
  });

  test('a layout can be given up', async () => {
    const graph = buildGraph(graphOf([{ name: 'a' }]));
    const builder = new SceneBuilder(graph, buildTree(graph));
    await expect(builder.build(new Set(), () => Promise.reject(new Error('cancelled')))).rejects.toThrow('cancelled');
  });
});

describe('model', () => {
  const chainOf = (count: number): NodeSpec[] =>
    Array.from({ length: count }, (_, i) => ({ name: `n${i}`, inputs: i ? [i - 1] : [] }));

  test('left-out nodes become bridges', () => {
    const graph = buildGraph(graphOf(chainOf(6)));
    const { graph: part, bridges } = subgraph(graph, new Set([0, 1, 4]));
    expect(part.data.names).toEqual(['n0', 'n1', 'n4']);
    expect(part.data.edges).toEqual([0, 1, 1, 2]);
    expect([...bridges]).toEqual([1]);
  });

  test('neighbours by hops go both ways', () => {
    const graph = buildGraph(graphOf(chainOf(9)));
    expect([...around(graph, 4, 2)].sort()).toEqual([2, 3, 4, 5, 6]);
  });

  test('a filter keeps reachability', () => {
    fc.assert(
      fc.property(anyGraph(), fc.array(fc.nat(119), { maxLength: 40 }), (nodes, picks) => {
        const graph = buildGraph(graphOf(nodes));
        const keep = new Set(picks.filter((pick) => pick < graph.size));
        const { graph: part } = subgraph(graph, keep);
        expect(part.size).toBe(keep.size);
        const reaches = (g: typeof graph, from: number): Set<number> => {
          const seen = new Set([from]);
          for (let i = 0; i < g.size; i++) if ([...neighbours(g.inputs, i)].some((j) => seen.has(j))) seen.add(i);
          return seen;
        };
        for (let i = 0; i < part.size; i++) {
          const whole = reaches(graph, graph.byName.get(part.data.names[i])!);
          for (const j of reaches(part, i)) expect(whole.has(graph.byName.get(part.data.names[j])!)).toBe(true);
        }
      }),
    );
  });

  test('types and sizes', () => {
    expect(typeText('float32', '[4, 8]')).toBe('f32[4,8]');
    expect(typeText('bfloat16', '[s0, 8]')).toBe('bf16[s0,8]');
    expect(typeText('int64', '[]')).toBe('i64[]');
    expect(typeText('', '')).toBe('');
    expect(dimensions('(4, 8)')).toEqual(['4', '8']);
    expect(byteSize('float32', '[4, 8]')).toBe(128);
    expect(byteSize('float32', '[]')).toBe(4);
    expect(byteSize('float32', '[s0]')).toBeNull();
  });

  test('module paths', () => {
    expect(pathParts("L['self'].layers.0.attn")).toEqual(['layers', '0', 'attn']);
    expect(pathParts("L['self'].layers[0].attn")).toEqual(['layers', '0', 'attn']);
    expect(pathParts("L['self']._modules['net']._modules['0']")).toEqual(['net', '0']);
    expect(pathParts("L['self']")).toEqual([]);
  });
});

describe('search', () => {
  test('finds every word anywhere, also in closed groups', () => {
    const graph = buildGraph(
      graphOf([
        { name: 'bmm', module: 'l.0.attn', shape: '[2, 3]' },
        { name: 'bmm_1', module: 'l.1.attn', shape: '[2, 4]' },
        { name: 'relu', module: 'l.1.mlp' },
      ]),
    );
    const tree = buildTree(graph);
    expect(search(graph, tree, 'BMM')).toEqual([0, 1]);
    expect(search(graph, tree, 'bmm [2,4]')).toEqual([1]);
    expect(search(graph, tree, '')).toEqual([]);
    expect([...matchesByGroup(tree, [0, 1]).values()].every((count) => count > 0)).toBe(true);
    expect(chain(tree.home[0]).length).toBeGreaterThanOrEqual(0);
  });
});
