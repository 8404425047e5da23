// A made-up transformer in the shapes of the server's answers: every stage of one compile, and its passes.

const FILE = '/home/user/project/train_gpt.py';
const SOURCE = {
  12: '        x = self.wte(idx) + self.wpe(pos)',
  17: '        q, k, v = self.qkv(x).view(b, t, 3, h, d // h).permute(2, 0, 3, 1, 4)',
  18: '        a = (q @ k.transpose(-2, -1)) / (d // self.h) ** 0.5',
  19: '        a = a.softmax(-1) @ v',
  20: '        return self.proj(a.transpose(1, 2).reshape(b, t, d))',
  27: '        x = x + self.attn(self.ln_1(x))',
  28: '        return x + self.mlp(self.ln_2(x))',
  35: '        x = self.ln_f(x)',
  36: '        return self.head(x)',
  41: '    loss = F.cross_entropy(logits.flatten(0, 1), target.flatten())',
};
const [B, T, D, H] = [4, 128, 256, 8];

/** Collects nodes as columns. */
class Columns {
  names = [];
  ops = [];
  targets = [];
  args = [];
  kinds = [];
  dtypes = [];
  shapes = [];
  strides = [];
  devices = [];
  module = [];
  modules = [];
  file = [];
  files = [FILE];
  line = [];
  column = [];
  endLine = [];
  endColumn = [];
  code = [];
  origins = [];
  kernel = [];
  kernels = [];
  edges = [];
  #counts = new Map();
  #modules = new Map();

  constructor(snapshot) {
    this.snapshot = snapshot;
  }

  #module(path, kind) {
    if (path === null) return -1;
    if (!this.#modules.has(path)) {
      this.#modules.set(path, this.modules.length);
      this.modules.push([`L['self'].${path}`, kind]);
    }
    return this.#modules.get(path);
  }

  add(
    base,
    kind,
    inputs,
    { shape, dtype = 'float32', module = null, type = '', line = 0, part = null, op, target, origins } = {},
  ) {
    const n = this.#counts.get(base) ?? 0;
    this.#counts.set(base, n + 1);
    const at = this.names.push(n === 0 ? base : `${base}_${n}`) - 1;
    const isInput = kind === 'input';
    this.ops.push(op ?? (isInput ? 'placeholder' : kind === 'output' ? 'output' : 'call_function'));
    this.targets.push(target ?? (isInput ? base : `aten.${base.replace(/_?\d*$/, '')}.default`));
    this.args.push(`(${inputs.map((i) => `%${this.names[i]}`).join(', ')})`);
    this.kinds.push(kind);
    this.dtypes.push(shape ? dtype : '');
    this.shapes.push(shape ? `[${shape.join(', ')}]` : '');
    const strides = shape ? shape.map((_, i) => shape.slice(i + 1).reduce((a, b) => a * b, 1)) : null;
    this.strides.push(strides ? `[${strides.join(', ')}]` : '');
    this.devices.push(shape ? 'cpu' : '');
    this.module.push(this.#module(module, type));
    const text = SOURCE[line] ?? '';
    const from = part ? text.indexOf(part) : -1;
    this.file.push(line ? 0 : -1);
    this.line.push(line ? line - 1 : -1);
    this.column.push(from);
    this.endLine.push(line ? line - 1 : -1);
    this.endColumn.push(from < 0 ? -1 : from + part.length);
    this.code.push(text);
    this.origins.push(origins ?? []);
    this.kernel.push([]);
    for (const i of new Set(inputs)) this.edges.push(i, at);
    return at;
  }

  result() {
    return { ...this };
  }
}

function layerNorm(g, x, path, line) {
  const at = { module: path, type: 'torch.nn.modules.normalization.LayerNorm', line };
  const w = g.add('primals', 'input', [], { shape: [D] });
  const b = g.add('primals', 'input', [], { shape: [D] });
  const stats = g.add('var_mean', 'reduction', [x], at);
  const variance = g.add('getitem', 'view', [stats], { ...at, shape: [B, T, 1] });
  const mean = g.add('getitem', 'view', [stats], { ...at, shape: [B, T, 1] });
  const eps = g.add('add', 'pointwise', [variance], { ...at, shape: [B, T, 1] });
  const r = g.add('rsqrt', 'pointwise', [eps], { ...at, shape: [B, T, 1] });
  const c = g.add('sub', 'pointwise', [x, mean], { ...at, shape: [B, T, D] });
  const n = g.add('mul', 'pointwise', [c, r], { ...at, shape: [B, T, D] });
  const s = g.add('mul', 'pointwise', [n, w], { ...at, shape: [B, T, D] });
  return g.add('add', 'pointwise', [s, b], { ...at, shape: [B, T, D] });
}

function linear(g, x, from, to, path, line) {
  const at = { module: path, type: 'torch.nn.modules.linear.Linear', line };
  const w = g.add('primals', 'input', [], { shape: [to, from] });
  const b = g.add('primals', 'input', [], { shape: [to] });
  const flat = g.add('view', 'view', [x], { ...at, shape: [B * T, from] });
  const t = g.add('permute', 'view', [w], { ...at, shape: [from, to] });
  const y = g.add('addmm', 'matmul', [b, flat, t], { ...at, shape: [B * T, to] });
  return g.add('view', 'view', [y], { ...at, shape: [B, T, to] });
}

function attention(g, x, path) {
  const type = 'train_gpt.Attention';
  const qkv = linear(g, x, D, 3 * D, `${path}.qkv`, 17);
  const at = (line, shape, part) => ({ module: path, type, line, shape, part });
  const d = D / H;
  const split = g.add('view', 'view', [qkv], at(17, [B, T, 3, H, d], 'self.qkv(x).view(b, t, 3, h, d // h)'));
  const order = g.add('permute', 'view', [split], at(17, [3, B, H, T, d]));
  const [q, k, v] = [0, 1, 2].map(() => g.add('select', 'view', [order], at(17, [B, H, T, d])));
  const kt = g.add('permute', 'view', [k], at(18, [B, H, d, T], 'k.transpose(-2, -1)'));
  const flat = (i, line, shape) => g.add('clone', 'view', [i], at(line, shape));
  const scores = g.add(
    'bmm',
    'matmul',
    [flat(q, 18, [B * H, T, d]), flat(kt, 18, [B * H, d, T])],
    at(18, [B * H, T, T], 'q @ k.transpose(-2, -1)'),
  );
  const shaped = g.add('view', 'view', [scores], at(18, [B, H, T, T]));
  const scaled = g.add('div', 'pointwise', [shaped], at(18, [B, H, T, T]));
  const top = g.add('amax', 'reduction', [scaled], at(19, [B, H, T, 1], 'a.softmax(-1)'));
  const shift = g.add('sub', 'pointwise', [scaled, top], at(19, [B, H, T, T], 'a.softmax(-1)'));
  const e = g.add('exp', 'pointwise', [shift], at(19, [B, H, T, T], 'a.softmax(-1)'));
  const sum = g.add('sum', 'reduction', [e], at(19, [B, H, T, 1], 'a.softmax(-1)'));
  const p = g.add('div', 'pointwise', [e, sum], at(19, [B, H, T, T], 'a.softmax(-1)'));
  const mixed = g.add(
    'bmm',
    'matmul',
    [flat(p, 19, [B * H, T, T]), flat(v, 19, [B * H, T, d])],
    at(19, [B * H, T, d], 'a.softmax(-1) @ v'),
  );
  const back = g.add('view', 'view', [mixed], at(20, [B, H, T, d]));
  const swap = g.add('permute', 'view', [back], at(20, [B, T, H, d], 'a.transpose(1, 2)'));
  const join = g.add('clone', 'view', [swap], at(20, [B, T, H, d]));
  const out = g.add('view', 'view', [join], at(20, [B, T, D], 'a.transpose(1, 2).reshape(b, t, d)'));
  return linear(g, out, D, D, `${path}.proj`, 20);
}

function mlp(g, x, path) {
  const up = linear(g, x, D, 4 * D, `${path}.0`, 28);
  const at = { module: `${path}.1`, type: 'torch.nn.modules.activation.GELU', line: 28, shape: [B, T, 4 * D] };
  const half = g.add('mul', 'pointwise', [up], at);
  const scaled = g.add('mul', 'pointwise', [up], at);
  const erf = g.add('erf', 'pointwise', [scaled], at);
  const one = g.add('add', 'pointwise', [erf], at);
  const y = g.add('mul', 'pointwise', [half, one], at);
  return linear(g, y, 4 * D, D, `${path}.2`, 28);
}

/** The forward graph after AOTAutograd. */
export function forwardGraph(snapshot, layers = 4) {
  const g = new Columns(snapshot);
  const idx = g.add('primals', 'input', [], { shape: [B, T], dtype: 'int64' });
  const pos = g.add('primals', 'input', [], { shape: [T], dtype: 'int64' });
  const embed = (i, rows, path, shape, part) => {
    const w = g.add('primals', 'input', [], { shape: [rows, D] });
    return g.add('embedding', 'other', [w, i], {
      module: path,
      type: 'torch.nn.modules.sparse.Embedding',
      line: 12,
      shape,
      part,
    });
  };
  let x = g.add(
    'add',
    'pointwise',
    [embed(idx, 5000, 'wte', [B, T, D], 'self.wte(idx)'), embed(pos, T, 'wpe', [T, D], 'self.wpe(pos)')],
    { line: 12, shape: [B, T, D], part: 'self.wte(idx) + self.wpe(pos)' },
  );
  for (let i = 0; i < layers; i++) {
    const path = `layers.${i}`;
    const at = { module: path, type: 'train_gpt.Block', shape: [B, T, D] };
    const a = attention(g, layerNorm(g, x, `${path}.ln_1`, 27), `${path}.attn`);
    x = g.add('add', 'pointwise', [x, a], { ...at, line: 27, part: 'x + self.attn(self.ln_1(x))' });
    const m = mlp(g, layerNorm(g, x, `${path}.ln_2`, 28), `${path}.mlp`);
    x = g.add('add', 'pointwise', [x, m], { ...at, line: 28, part: 'x + self.mlp(self.ln_2(x))' });
  }
  const logits = linear(g, layerNorm(g, x, 'ln_f', 35), D, 5000, 'head', 36);
  const at = { line: 41, part: 'F.cross_entropy(logits.flatten(0, 1), target.flatten())' };
  const target = g.add('primals', 'input', [], { shape: [B, T], dtype: 'int64' });
  const flat = g.add('view', 'view', [logits], { ...at, shape: [B * T, 5000] });
  const top = g.add('amax', 'reduction', [flat], { ...at, shape: [B * T, 1] });
  const shift = g.add('sub', 'pointwise', [flat, top], { ...at, shape: [B * T, 5000] });
  const e = g.add('exp', 'pointwise', [shift], { ...at, shape: [B * T, 5000] });
  const sum = g.add('sum', 'reduction', [e], { ...at, shape: [B * T, 1] });
  const log = g.add('log', 'pointwise', [sum], { ...at, shape: [B * T, 1] });
  const lp = g.add('sub', 'pointwise', [shift, log], { ...at, shape: [B * T, 5000] });
  const pick = g.add('gather', 'other', [lp, target], { ...at, shape: [B * T, 1] });
  const loss = g.add('mean', 'reduction', [pick], { ...at, shape: [] });
  g.add('output', 'output', [loss, lp, x]);
  return g.result();
}

/** What Dynamo captured: one node a module call. */
export function dynamoGraph(snapshot, layers = 4) {
  const g = new Columns(snapshot);
  const call = (name, kind, inputs, path, type, line, shape, weights = 2) => {
    const ws = Array.from({ length: weights }, (_, i) =>
      g.add(`l_self_${path.replaceAll('.', '_modules_')}_parameters_${i ? 'bias' : 'weight'}_`, 'input', [], {
        shape: [D],
      }),
    );
    return g.add(name, kind, [...inputs, ...ws], {
      module: path,
      type,
      line,
      shape,
      target: `torch.nn.functional.${name}`,
    });
  };
  const idx = g.add('l_idx_', 'input', [], { shape: [B, T], dtype: 'int64' });
  const a = call('embedding', 'other', [idx], 'wte', 'Embedding', 12, [B, T, D], 1);
  const b = call('embedding', 'other', [idx], 'wpe', 'Embedding', 12, [T, D], 1);
  let x = g.add('add', 'pointwise', [a, b], { line: 12, shape: [B, T, D] });
  for (let i = 0; i < layers; i++) {
    const p = `layers.${i}`;
    const at = { module: `${p}.attn`, type: 'Attention', line: 17 };
    const n1 = call('layer_norm', 'reduction', [x], `${p}.ln_1`, 'LayerNorm', 27, [B, T, D]);
    const qkv = call('linear', 'matmul', [n1], `${p}.attn.qkv`, 'Linear', 17, [B, T, 3 * D]);
    const v0 = g.add('view', 'view', [qkv], { ...at, shape: [B, T, 3, H, D / H] });
    const v1 = g.add('permute', 'view', [v0], { ...at, shape: [3, B, H, T, D / H] });
    const [q, k, v] = [0, 1, 2].map(() => g.add('getitem', 'view', [v1], { ...at, shape: [B, H, T, D / H] }));
    const kt = g.add('transpose', 'view', [k], { ...at, line: 18, shape: [B, H, D / H, T] });
    const s = g.add('matmul', 'matmul', [q, kt], {
      ...at,
      line: 18,
      shape: [B, H, T, T],
      part: 'q @ k.transpose(-2, -1)',
    });
    const d = g.add('truediv', 'pointwise', [s], { ...at, line: 18, shape: [B, H, T, T] });
    const sm = g.add('softmax', 'reduction', [d], { ...at, line: 19, shape: [B, H, T, T], part: 'a.softmax(-1)' });
    const o = g.add('matmul', 'matmul', [sm, v], { ...at, line: 19, shape: [B, H, T, D / H] });
    const tr = g.add('transpose', 'view', [o], { ...at, line: 20, shape: [B, T, H, D / H] });
    const r = g.add('reshape', 'view', [tr], { ...at, line: 20, shape: [B, T, D] });
    const pr = call('linear', 'matmul', [r], `${p}.attn.proj`, 'Linear', 20, [B, T, D]);
    x = g.add('add', 'pointwise', [x, pr], { module: p, type: 'Block', line: 27, shape: [B, T, D] });
    const n2 = call('layer_norm', 'reduction', [x], `${p}.ln_2`, 'LayerNorm', 28, [B, T, D]);
    const up = call('linear', 'matmul', [n2], `${p}.mlp.0`, 'Linear', 28, [B, T, 4 * D]);
    const ge = call('gelu', 'pointwise', [up], `${p}.mlp.1`, 'GELU', 28, [B, T, 4 * D], 0);
    const dn = call('linear', 'matmul', [ge], `${p}.mlp.2`, 'Linear', 28, [B, T, D]);
    x = g.add('add', 'pointwise', [x, dn], { module: p, type: 'Block', line: 28, shape: [B, T, D] });
  }
  const n = call('layer_norm', 'reduction', [x], 'ln_f', 'LayerNorm', 35, [B, T, D]);
  const out = call('linear', 'matmul', [n], 'head', 'Linear', 36, [B, T, 5000], 1);
  g.add('output', 'output', [out]);
  return g.result();
}

/** A joint graph: the forward, then for every operation one of the backward, in reverse. */
export function jointGraph(snapshot, layers = 4) {
  const f = forwardGraph('', layers);
  const g = new Columns(snapshot);
  const copy = (i, base, kind, inputs) =>
    g.add(base, kind, inputs, {
      shape: f.shapes[i] === '' ? undefined : f.shapes[i].slice(1, -1).split(', ').filter(Boolean).map(Number),
      dtype: f.dtypes[i] || undefined,
      module: f.module[i] < 0 ? null : f.modules[f.module[i]][0].replace("L['self'].", ''),
      type: f.module[i] < 0 ? '' : f.modules[f.module[i]][1],
      line: f.line[i] + 1,
    });
  const inputs = f.names.map(() => []);
  for (let e = 0; e < f.edges.length; e += 2) inputs[f.edges[e + 1]].push(f.edges[e]);
  const place = [];
  f.names.forEach((name, i) => {
    if (f.ops[i] !== 'output')
      place[i] = copy(
        i,
        name.replace(/_\d+$/, ''),
        f.kinds[i],
        inputs[i].map((j) => place[j]),
      );
  });
  const tangent = g.add('tangents', 'input', [], { shape: [] });
  g.names[tangent] = 'tangents_1';
  const grads = f.names.map(() => []);
  const last = f.names.lastIndexOf('mean');
  grads[last].push(tangent);
  for (let i = last; i >= 0; i--) {
    if (grads[i].length === 0 || f.ops[i] === 'placeholder') continue;
    const base = f.kinds[i] === 'matmul' ? 'mm' : f.kinds[i] === 'view' ? 'view' : 'mul';
    const kind = f.kinds[i] === 'matmul' ? 'matmul' : f.kinds[i] === 'view' ? 'view' : 'pointwise';
    const own = copy(i, base, kind, [...grads[i], ...(f.kinds[i] === 'view' ? [] : [place[i]])]);
    for (const j of inputs[i]) if (f.dtypes[j] !== 'int64') grads[j].push(own);
  }
  const outs = f.names.flatMap((_, i) => (f.ops[i] === 'placeholder' ? grads[i].slice(0, 1) : []));
  g.add('output', 'output', [place[last], ...outs]);
  return g.result();
}

/** Kernel calls of the scheduler. */
export function schedulerGraph(snapshot, layers = 4) {
  const g = new Columns(snapshot);
  const k = (name, kind, inputs, path, origins) =>
    g.add(name, kind, inputs, {
      module: path,
      type: 'Block',
      op: 'kernel',
      target: kind === 'kernel' ? 'fused' : kind,
      origins,
      line: 18,
    });
  let x = k('cpp_fused_add_embedding_0', 'kernel', [], null, ['embedding', 'embedding_1', 'add']);
  for (let i = 0; i < layers; i++) {
    const p = `layers.${i}`;
    const n = k(
      'cpp_fused_add_native_layer_norm',
      'kernel',
      [x],
      p,
      ['var_mean', 'rsqrt', 'sub', 'mul', 'mul_1', 'add_1'].map((o) => `${o}_${i}`),
    );
    const q = k('extern_kernels.addmm', 'extern', [n], p, [`addmm_${4 * i}`]);
    const c = k(
      'cpp_fused_clone_permute_select',
      'kernel',
      [q],
      p,
      ['view', 'permute', 'select', 'select_1', 'clone', 'clone_1'].map((o) => `${o}_${i}`),
    );
    const s = k('extern_kernels.bmm', 'extern', [c], p, [`bmm_${2 * i}`]);
    const f = k(
      'cpp_fused__softmax_abs_all_amax_clone_div_eq_mul_ne_sub_view',
      'kernel',
      [s],
      p,
      [
        'div',
        'amax',
        'sub',
        'exp',
        'sum',
        'div_1',
        'clone',
        'mul_tensor',
        'where_self',
        'any_dims',
        'logical_not_default',
      ].map((o) => `${o}_${i}`),
    );
    const m = k('extern_kernels.bmm', 'extern', [f, c], p, [`bmm_${2 * i + 1}`]);
    x = k(
      i === 1 ? 'torch.ops.mylib.rope' : 'cpp_fused_gelu_view',
      i === 1 ? 'fallback' : 'kernel',
      [m, x],
      p,
      i === 1 ? ['rope'] : ['mul', 'erf', 'add'].map((o) => `${o}_${i}`),
    );
  }
  k('cpp_fused_mean', 'kernel', [x], null, ['mean', 'gather']);
  return g.result();
}

const text = (graph) =>
  graph.names
    .map((name, i) => `${name}: ${graph.dtypes[i]}${graph.shapes[i]} = ${graph.targets[i]}${graph.args[i]}`)
    .join('\n');

/** A recording with two compiles, as a function from requests to answers. */
export function recording({ layers = 4 } = {}) {
  const graphs = new Map(
    [
      dynamoGraph('s-dynamo', layers),
      forwardGraph('s-forward', layers),
      { ...forwardGraph('s-post', layers), snapshot: 's-post' },
      jointGraph('s-joint-before', layers),
      jointGraph('s-joint', layers),
      forwardGraph('s-backward', layers),
      schedulerGraph('s-sched', layers),
    ].map((graph) => [graph.snapshot, graph]),
  );
  const removed = graphs.get('s-joint-before');
  const joint = graphs.get('s-joint');
  joint.targets = joint.targets.map((target) => (target === 'aten.div.default' ? 'aten.div.Tensor' : target));
  const info = (graph, stage, position, label, snapshot) => {
    const known = snapshot === null ? null : graphs.get(snapshot);
    return {
      graph: `0/0/${graph}`,
      stage,
      position,
      label,
      snapshot,
      nodes: known ? known.names.length : 0,
      edges: known ? known.edges.length / 2 : 0,
      unavailable: snapshot === null ? 'Graph capture before Inductor needs torch 2.7; this run used 2.6.' : null,
      cause: snapshot === null ? 'hook' : null,
    };
  };
  const stages = [
    info('dynamo', 'dynamo', 'after', 'Dynamo', 's-dynamo'),
    info('dynamo', 'pre_grad', 'after', 'Pre-grad', null),
    {
      ...info('joint', 'joint', 'before', 'Joint', 's-joint-before'),
      nodes: removed.names.length - 12,
      edges: removed.edges.length / 2 - 18,
    },
    info('joint', 'joint', 'after', 'Joint', 's-joint'),
    info('forward', 'post_grad', 'before', 'Forward', 's-forward'),
    info('forward', 'post_grad', 'after', 'Post-grad', 's-post'),
    info('backward', 'post_grad', 'before', 'Backward', 's-backward'),
    info('backward', 'post_grad', 'after', 'Post-grad', 's-backward'),
    { ...info('forward', 'scheduler', 'before', 'Scheduler', 's-sched'), nodes: 129, snapshot: 's-sched' },
    info('forward', 'scheduler', 'after', 'Scheduler', 's-sched'),
  ];
  const compiles = [
    { id: '0/0', title: 'GPT.forward' },
    { id: '1/0', title: 'sample' },
  ];
  const passes = makePasses(joint.names.length, joint.edges.length / 2);
  return (method, params) => {
    if (method === 'stages') return { result: { compiles, stages } };
    if (method === 'passes') {
      const own = params.compileId === null ? passes : passes.filter((pass) => pass.compileId === params.compileId);
      return {
        result: {
          compiles,
          passes: own,
          compileSeconds: 15.6,
          overhead: 0.008,
          note: 'Caches off for this run',
          cause: null,
          unrun: UNRUN,
        },
      };
    }
    if (method === 'lineage') return { result: { steps: [], kernels: [], lines: [] } };
    const graph = graphs.get(params.snapshot);
    if (!graph)
      return {
        problem: {
          code: 'gone',
          title: 'This snapshot is not in the recording',
          detail: 'It may have been deleted.',
          actions: [],
        },
      };
    if (method === 'graphText') return { result: { text: text(graph) } };
    return { result: graph };
  };
}

export const UNRUN = [
  {
    compileId: '0/0',
    slot: 'custom_partitioner_fn',
    function: 'my_passes.balance',
    file: '/home/user/project/my_passes.py',
    line: 88,
    reason: 'It runs over graphs with a backward only, and this one has none.',
  },
  {
    compileId: null,
    slot: 'custom_backend_passes_cuda',
    function: 'vendor.plugin.<locals>.hoist',
    file: null,
    line: null,
    reason: 'Nothing in the graph is on this device.',
  },
];

function makePasses(nodes, edges) {
  const passes = [];
  const add = (
    phase,
    name,
    seconds,
    {
      graph = 'joint',
      dn = 0,
      de = 0,
      changed = dn !== 0,
      custom = false,
      depth = 0,
      kind = 'pass',
      source = null,
      own = null,
      slot = null,
      matches = [],
      error = null,
      message = null,
      snapshots = changed,
    } = {},
  ) => {
    passes.push({
      compileId: '0/0',
      graph: `0/0/${graph}`,
      phase,
      name,
      order: passes.length,
      depth,
      seconds,
      nodesBefore: nodes,
      nodesAfter: nodes + dn,
      edgesBefore: edges,
      edgesAfter: edges + de,
      delta: -dn - de,
      changed,
      custom,
      before: snapshots ? 's-joint-before' : null,
      after: snapshots ? 's-joint' : null,
      function: own ?? (kind === 'pass' ? `torch._inductor.fx_passes.${name}` : null),
      file: custom ? '/home/user/project/my_passes.py' : null,
      line: custom ? 41 : null,
      gap: kind === 'gap',
      error,
      kind,
      source,
      slot,
      message,
      matches,
      why: null,
    });
  };
  add('pre_grad', 'normalization_pass', 0.0041);
  add('pre_grad', 'batch_linear_fusion', 0.0084);
  add('aot', 'aot_trace', 0.84, { kind: 'phase', source: '0/0/dynamo', dn: 400, de: 610, changed: true });
  add('joint', 'remove_noop_ops', 0.0133, { dn: -9, de: -9 });
  add('joint', 'constant_fold_uniform_value', 0.0518, { changed: true });
  add('joint', 'pointless_permute_pair', 0.0467, { dn: -34, de: -34 });
  add('joint', 'pass_pattern_0', 0.626);
  add('joint', 'pattern_matcher', 0.624, { depth: 1 });
  add('joint', 'pass_pattern_1', 0.155, { dn: 48, de: 64 });
  const matches = [17, 18, 19, 19].map((line, n) => ({
    pattern: n < 3 ? 'div_softmax_pattern' : 'pointless_view_pair',
    target: n < 3 ? 'aten.div.Tensor' : 'aten.view.default',
    nodes: [`div_${n}`, `amax_${n}`],
    created: n < 3 ? [`div_tensor_${n}`] : [],
    file: FILE,
    line,
  }));
  add('joint', 'pattern_matcher', 0.153, { depth: 1, dn: 48, de: 64, matches });
  add('joint', '', 0, { dn: 1, de: 1, kind: 'gap' });
  add('joint', 'fuse_seed_creation_pass', 0.0051, { dn: 1, de: 1 });
  const post = { graph: 'forward' };
  add('aot', 'partition', 0.19, { ...post, kind: 'phase', source: '0/0/joint', dn: -40, de: -52 });
  const own = { ...post, custom: true };
  add('inductor', 'view_to_reshape', 0.0014, { ...post, kind: 'phase', changed: true });
  add('post_grad', 'post_grad_custom_pre_pass', 0.257, {
    ...own,
    own: 'my_passes.fuse_residual_layernorm',
    slot: 'post_grad_custom_pre_pass',
  });
  for (const [name, s] of Object.entries({
    remove_profiler_ops: 0.00047,
    remove_noop_ops: 0.00248,
    remove_assert_ops: 0.00036,
    pass_pattern_1: 0.0189,
    pass_pattern_2: 0.0088,
    stable_sort: 0.00138,
    reinplace_inplaceable_ops: 0.0326,
    fix_auto_functionalized: 0.00097,
    decompose_auto_functionalized: 0.00235,
  }))
    add('post_grad', name, s, post);
  add('post_grad', 'post_grad_custom_post_pass', 0.0004, {
    ...own,
    own: 'my_passes.Overlap',
    slot: 'post_grad_custom_post_pass',
    error: 'RuntimeError',
    message: 'no process group',
  });
  add('scheduler', 'lowering', 1.21, { ...post, kind: 'phase', dn: -270, de: -300 });
  add('scheduler', 'fusion', 0.31, { ...post, kind: 'phase', dn: -40, de: -44 });
  const back = { graph: 'backward' };
  add('inductor', 'view_to_reshape', 0.0019, { ...back, kind: 'phase', changed: true });
  for (const [name, s] of Object.entries({
    remove_noop_ops: 0.0035,
    pass_pattern_1: 0.0231,
    stable_sort: 0.0021,
    reinplace_inplaceable_ops: 0.0414,
  }))
    add('post_grad', name, s, back);
  return passes;
}
