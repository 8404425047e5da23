/** The ribbons in the gutters: from each stretch of a group in one column to those in the next. */

/** A stretch of rows of one group, from and to a height of the view. */
export interface Run {
  readonly group: number;
  readonly from: number;
  readonly to: number;
}

export interface Ribbon {
  readonly group: number;
  readonly path: string;
}

const MOST = 6;

/** Adjacent stretches of one group made one, and what is out of view left out. */
export function runs(stretches: readonly Run[], height: number): Run[] {
  const found: Run[] = [];
  const open = new Map<number, number>();
  for (const one of stretches) {
    const from = Math.max(0, one.from);
    const to = Math.min(height, one.to);
    if (to - from < 2) continue;
    const last = open.get(one.group);
    if (last !== undefined && Math.abs(found[last].to - from) < 1) found[last] = { ...found[last], to };
    else {
      open.set(one.group, found.length);
      found.push({ group: one.group, from, to });
    }
  }
  return found;
}

/** Ribbons between two columns, `left` and `right` being the sides of the gutter; those of a group never cross. */
export function ribbons(from: readonly Run[], to: readonly Run[], left: number, right: number): Ribbon[] {
  const found: Ribbon[] = [];
  for (const group of new Set(from.map((run) => run.group))) {
    const a = from.filter((run) => run.group === group).slice(0, MOST);
    const b = to.filter((run) => run.group === group).slice(0, MOST);
    if (b.length === 0) continue;
    const count = Math.max(a.length, b.length);
    for (let i = 0; i < count; i++) {
      const start = slot(a, i, count);
      const end = slot(b, i, count);
      found.push({ group, path: path(start, end, left, right) });
    }
  }
  return found;
}

/** The i-th of `count` parts of some runs, in order: a run that has several partners is shared out. */
function slot(all: readonly Run[], i: number, count: number): Run {
  const at = Math.min(all.length - 1, Math.floor((i * all.length) / count));
  const run = all[at];
  const mine = Array.from({ length: count }, (_, k) => k).filter(
    (k) => Math.min(all.length - 1, Math.floor((k * all.length) / count)) === at,
  );
  const step = (run.to - run.from) / mine.length;
  const from = run.from + step * mine.indexOf(i);
  return { group: run.group, from, to: from + step };
}

function path(a: Run, b: Run, left: number, right: number): string {
  const mid = (left + right) / 2;
  const n = (value: number): string => value.toFixed(1);
  return (
    `M${n(left)} ${n(a.from)}C${n(mid)} ${n(a.from)} ${n(mid)} ${n(b.from)} ${n(right)} ${n(b.from)}` +
    `V${n(b.to)}C${n(mid)} ${n(b.to)} ${n(mid)} ${n(a.to)} ${n(left)} ${n(a.to)}Z`
  );
}
