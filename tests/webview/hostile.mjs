// A graph that is as bad as a recording can be: huge, with cycles, giant names and markup.
export function hostileGraph(size) {
  const names = Array.from({ length: size }, (_, i) => `node_${i}`);
  names[7] = '<img src=x onerror="document.title=1">';
  names[8] = 'x'.repeat(200_000);
  names[9] = names[10] = 'twice';
  names[11] = '\u202eright\u0000to left\n';
  const edges = [];
  for (let i = 1; i < size; i++) {
    edges.push(i - 1, i);
    if (i % 7 === 0) edges.push(i, Math.max(0, i - 50));
    if (i % 11 === 0) edges.push(i, i);
    if (i % 1000 === 0) edges.push(0, i);
  }
  const all = (value) => names.map((_, i) => (typeof value === 'function' ? value(i) : value));
  return {
    snapshot: 'evil',
    names,
    ops: all((i) => (i < 5 ? 'placeholder' : 'call_function')),
    targets: all('<script>alert(1)</script>'),
    args: all('()'),
    kinds: all((i) => (i % 3 ? 'pointwise' : 'no such kind')),
    dtypes: all('float32'),
    shapes: all((i) => (i === 12 ? `[${'9, '.repeat(5000)}]` : '[4, s0]')),
    strides: all(''),
    devices: all(''),
    module: all((i) => (i % 2 ? i % 40 : -1)),
    modules: Array.from({ length: 40 }, (_, m) => [`L['self']${'.deep'.repeat(m)}.m${m}`, '<b>Block</b>']),
    file: all(-1),
    files: [],
    line: all(-1),
    column: all(-1),
    endLine: all(-1),
    endColumn: all(-1),
    code: all(''),
    origins: all(() => []),
    kernel: all(() => []),
    kernels: [],
    edges,
  };
}
