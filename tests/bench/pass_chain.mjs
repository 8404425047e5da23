// A graph and 50 passes over it, each of which removes one node: what the server would answer about all of them.

/** `{ graph(id), diff(before, after), stages, passes }` of `graph` and `count` passes. */
export function passChain(graph, count) {
  const steps = [];
  let now = { ...graph, snapshot: 'p0' };
  const taken = new Set();
  for (let p = 1; p <= count; p++) {
    const at = pick(now, taken, p / (count + 1));
    taken.add(now.names[at]);
    steps.push(remove(now, at, `p${p}`));
    now = steps.at(-1).after;
  }
  const graphs = new Map(steps.flatMap(({ before, after }) => [before, after]).map((one) => [one.snapshot, one]));
  const diffs = new Map(steps.map((step) => [`${step.before.snapshot}:${step.after.snapshot}`, step.diff]));
  const info = (one, position) => ({
    graph: '0/0/joint',
    stage: 'joint',
    position,
    label: `Joint, ${position} passes`,
    snapshot: one.snapshot,
    nodes: one.names.length,
    edges: one.edges.length / 2,
    unavailable: null,
    cause: null,
  });
  const passes = steps.map(({ before, after }, order) => ({
    compileId: '0/0',
    graph: '0/0/joint',
    phase: 'joint',
    name: `pass_${order}`,
    order,
    depth: 0,
    seconds: 0.001,
    nodesBefore: before.names.length,
    nodesAfter: after.names.length,
    edgesBefore: before.edges.length / 2,
    edgesAfter: after.edges.length / 2,
    delta: 1,
    changed: true,
    custom: false,
    before: before.snapshot,
    after: after.snapshot,
    function: null,
    file: null,
    line: null,
    gap: false,
    error: null,
    kind: 'pass',
    source: null,
    slot: null,
    message: null,
    matches: [],
  }));
  return {
    graphs,
    diffs,
    passes,
    stages: [info(steps[0].before, 'before'), info(steps.at(-1).after, 'after')],
  };
}

/** A node with one input and a user, about `share` of the way down. */
function pick(graph, taken, share) {
  const ins = graph.names.map(() => 0);
  for (let e = 1; e < graph.edges.length; e += 2) ins[graph.edges[e]]++;
  const from = Math.floor(share * graph.names.length);
  const good = (i) => ins[i] === 1 && graph.ops[i] === 'call_function' && !taken.has(graph.names[i]);
  for (let i = from; i < graph.names.length; i++) if (good(i)) return i;
  return graph.names.findIndex((_, i) => good(i));
}

function remove(before, at, snapshot) {
  const edges = [];
  const input = before.edges.find((_, e) => e % 2 === 0 && before.edges[e + 1] === at);
  const users = [];
  const edgeStates = [];
  for (let e = 0; e < before.edges.length; e += 2) {
    const [from, to] = [before.edges[e], before.edges[e + 1]];
    edges.push(from, to);
    edgeStates.push(from === at || to === at ? 'removed' : 'same');
    if (from === at) users.push(to);
  }
  for (const user of users) {
    edges.push(input, user);
    edgeStates.push('added');
  }
  const states = before.names.map((_, i) => (i === at ? 'removed' : users.includes(i) ? 'changed' : 'same'));
  const kept = edges.flatMap((_, e) =>
    e % 2 === 0 && edgeStates[e / 2] !== 'removed' ? [edges[e], edges[e + 1]] : [],
  );
  const after = { snapshot };
  for (const [key, column] of Object.entries(before)) {
    if (Array.isArray(column) && column.length === before.names.length && key !== 'edges')
      after[key] = column.filter((_, i) => i !== at);
    else if (key !== 'snapshot') after[key] = column;
  }
  after.edges = kept.map((i) => (i > at ? i - 1 : i));
  const diff = {
    graph: { ...before, snapshot: `${before.snapshot}:${snapshot}`, edges },
    states,
    edgeStates,
    was: before.names.map((_, i) => (states[i] === 'changed' ? 'aten.before()' : '')),
    replaces: before.names.map(() => []),
    nodesBefore: before.names.length,
    nodesAfter: after.names.length,
    edgesBefore: before.edges.length / 2,
    edgesAfter: after.edges.length / 2,
    delta: 1 + before.edges.length / 2 - after.edges.length / 2,
  };
  return { before, after, diff };
}
