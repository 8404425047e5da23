/** The versions of one function as columns and its guards as rows: what is shown, and where. */
import type {
  CauseInfo,
  DimensionInfo,
  FunctionChoice,
  GuardNode,
  GuardRow,
  RecompilesResult,
  RecompileTable,
  VersionInfo,
} from '../../src/shared/messages';

export const FEW = 3;
/** From so many versions on, columns are narrow and scroll sideways. */
export const MANY_VERSIONS = 12;
const MOST_FAILED = 100;
/** Characters of a value in a cell. */
const LONGEST = 200;
const MOST_QUIET = 1000;

export interface Column {
  readonly version: VersionInfo;
  /** Position in the order in which they were made. */
  readonly index: number;
  /** The guard that made it; of a cluster's first column only. */
  readonly cluster: { readonly about: string; readonly size: number } | null;
}

/** A cell: what is accepted, or what failed and made the version. */
export type Cell =
  | { readonly type: 'text'; readonly text: string; readonly same: boolean }
  | { readonly type: 'failed'; readonly old: string; readonly now: string; readonly whole: string }
  /** The version does not look at it. */
  | { readonly type: 'none' }
  /** What it accepts is not recorded. */
  | { readonly type: 'unknown' };

/** Columns in the order in which they were made, or by the guard that made them. */
export function columnsOf({ versions, rows }: RecompileTable, clustered: boolean): Column[] {
  const all = versions.map((version, index): Column => ({ version, index, cluster: null }));
  if (!clustered) return all;
  const order = new Map(rows.map(({ about }, at) => [about, at + 1]));
  const rank = ({ version }: Column): number =>
    version.cause === null ? 0 : (order.get(version.cause.about) ?? rows.length + 1);
  const sorted = all.toSorted((a, b) => rank(a) - rank(b) || a.index - b.index);
  return sorted.map((column, at) => {
    if (at > 0 && rank(sorted[at - 1]) === rank(column)) return column;
    const about = column.version.cause?.about ?? 'first';
    return { ...column, cluster: { about, size: sorted.filter((one) => rank(one) === rank(column)).length } };
  });
}

export interface ShownRows {
  readonly rows: readonly GuardRow[];
  /** How many more there are, how many of these differ, and the names of the first. */
  readonly more: number;
  readonly differ: number;
  readonly names: readonly string[];
}

/** Rows that failed and a few that did not, those that differ first; or all. */
export function rowsOf(table: RecompileTable, fewer: boolean): ShownRows {
  const all = table.rows.filter(({ failures }) => failures.length > 0);
  const failed = fewer ? all.slice(0, MOST_FAILED) : all;
  const quiet = table.rows.filter(({ failures }) => failures.length === 0);
  if (!fewer) return { rows: [...failed, ...quiet.slice(0, MOST_QUIET)], more: table.more, differ: 0, names: [] };
  const rest = quiet.slice(FEW);
  return {
    rows: [...failed, ...quiet.slice(0, FEW)],
    more: all.length - failed.length + rest.length + table.more,
    differ: rest.filter(isDiffering).length,
    names: rest.slice(0, 5).map(({ about }) => shortName(about)),
  };
}

export const isDiffering = ({ cells }: GuardRow): boolean => cells.length > 0;

/** `torch.…utils.top_saved_tensors_hooks ids` is long: its last part. */
const shortName = (about: string): string => (about.length > 28 ? `…${about.slice(-24)}` : about);

/** What stands in a row's cell of a column. `before`: the column left of it. */
export function cellOf(row: GuardRow, { version, index }: Column, before: Column | null): Cell {
  const { cause } = version;
  if (cause?.about === row.about && row.failures.includes(index)) {
    const old = cause.old ?? '';
    const now = cause.new ?? '';
    if (old === '' && now === '') return { type: 'failed', old: '', now: cause.words, whole: cause.words };
    const known = now === '' ? (row.cells[index] ?? '?') : now;
    return { type: 'failed', old: old === '' ? '?' : old, now: known, whole: `${old} → ${known}` };
  }
  const text = isDiffering(row) ? row.cells[index] : row.same;
  if (text === null) return version.read ? { type: 'none' } : { type: 'unknown' };
  const left = before === null ? null : isDiffering(row) ? row.cells[before.index] : row.same;
  return { type: 'text', text, same: before !== null && left === text };
}

/** Values in a cell: numbers with four digits, dtypes as torch's short names, `f32`. */
export const shortValue = (text: string): string =>
  text
    .slice(0, LONGEST)
    .replace(/-?\d+\.\d{4,}(?:e[-+]?\d+)?/g, (number) => String(Number(Number(number).toPrecision(4))))
    .replace(/\b(bfloat|float|uint|int|complex)(8|16|32|64|128)\b/g, (_, name: string, bits: string) =>
      name === 'bfloat' ? `bf${bits}` : `${name.charAt(0)}${bits}`,
    );

/** `name: 'a' → 'b'` of a cause, short enough for a line. */
export function changeText(cause: CauseInfo): string {
  if (cause.old === null && cause.new === null) return cause.about;
  return `${cause.about}: ${shortValue(cause.old ?? '?')} → ${shortValue(cause.new ?? '?')}`;
}

/** The version that the graph of `version` is compared with. */
export function otherOf({ versions }: RecompileTable, version: VersionInfo, chosen: string | null): VersionInfo | null {
  const find = (id: string | null | undefined): VersionInfo | undefined =>
    versions.find((one) => one.id === id && one !== version);
  const at = versions.indexOf(version);
  return find(chosen) ?? find(version.cause?.version) ?? (at > 0 ? versions[at - 1] : (versions.at(at + 1) ?? null));
}

/** The function of a table with one version on another rank, where it was compiled again: the dearest such. */
export function elsewhere({ functions, table }: RecompilesResult): FunctionChoice | undefined {
  if (table === null || table.recompiles > 0) return undefined;
  const same = functions.filter(
    (one) => one.recompiles > 0 && one.function === table.function && one.file === table.file,
  );
  return same.find(({ line, resumed }) => line === table.line && resumed === table.resumed) ?? same.at(0);
}

/** The next version that a guard made, from a column on, around. */
export function nextFailure(columns: readonly Column[], from: number): Column | null {
  for (let step = 1; step <= columns.length; step++) {
    const column = columns[(from + step) % columns.length];
    if (column.version.cause !== null) return column;
  }
  return null;
}

/** A range of a dimension with the versions that accept it. */
export interface Band {
  readonly text: string;
  readonly low: number | null;
  readonly high: number | null;
  readonly versions: readonly string[];
  readonly calls: number | null;
  readonly seen: readonly string[];
}

/** Equal ranges once, in the order in which they came to be. */
export function bandsOf(dimension: DimensionInfo, versions: readonly VersionInfo[]): Band[] {
  const bands = new Map<string, Band>();
  for (const { text, low, high, version, seen } of dimension.spans) {
    const calls = versions.find(({ id }) => id === version)?.calls ?? null;
    const known = bands.get(text);
    const values = seen === null || known?.seen.includes(seen) ? (known?.seen ?? []) : [...(known?.seen ?? []), seen];
    bands.set(text, {
      text,
      low,
      high,
      versions: [...(known?.versions ?? []), version],
      calls: known === undefined ? calls : known.calls === null || calls === null ? null : known.calls + calls,
      seen: values,
    });
  }
  return [...bands.values()];
}

/** Where a band lies on an axis from 0 to 1; a side without bound reaches the end. */
export function scaleOf(bands: readonly Band[]): (band: Band) => { start: number; end: number } {
  const bounds = bands.flatMap(({ low, high }) => [low, high]).filter((value) => value !== null);
  const first = Math.min(...bounds, Infinity);
  const last = Math.max(...bounds, -Infinity);
  const wide = Math.max(last - first, 1);
  // One step more than the last bound, so that `7…` and `7` differ; open ends take an eighth.
  const place = (value: number): number => 0.04 + (0.8 * (value - first)) / wide;
  return ({ low, high }) => ({
    start: low === null ? 0 : place(low),
    end: high === null ? 1 : Math.max(place(high), (low === null ? 0 : place(low)) + 0.02),
  });
}

/** Dimensions of which a version leaves a range open, the selected guard's first. */
export function openDimensions({ dimensions }: RecompileTable, about: string | null): DimensionInfo[] {
  const open = dimensions.filter(({ spans }) => spans.some(({ low, high }) => low !== high));
  return open.toSorted((a, b) => Number(b.expression === about) - Number(a.expression === about));
}

/** Nodes of the guard tree that no closed value hides, with their position. */
export function visibleNodes(nodes: readonly GuardNode[], closed: ReadonlySet<number>): number[] {
  const shown: number[] = [];
  let hidden = Infinity;
  nodes.forEach(({ depth }, at) => {
    if (depth > hidden) return;
    hidden = closed.has(at) ? depth : Infinity;
    shown.push(at);
  });
  return shown;
}

/** Positions of the nodes that a row which failed is in, and of the values above them. */
export function failedNodes(nodes: readonly GuardNode[], failed: ReadonlySet<string>): Set<number> {
  const found = new Set<number>();
  const above: number[] = [];
  nodes.forEach(({ depth, about }, at) => {
    above.length = depth;
    above[depth] = at;
    if (about.some((one) => failed.has(one))) for (const one of above) found.add(one);
  });
  return found;
}

/** The table as Markdown, for an issue. */
export function markdown(table: RecompileTable): string {
  const cell = (text: string): string => `\`${text.replace(/\s+/g, ' ').replace(/`/g, 'ˋ').replace(/\|/g, '\\|')}\``;
  const rows = table.versions.map(({ id, calls, seconds, cause }) =>
    [
      id,
      cause === null ? 'first' : cell(cause.guard),
      cause === null ? '' : `${cell(cause.old ?? '?')} → ${cell(cause.new ?? '?')}`,
      calls === null ? '' : String(calls),
      seconds.toFixed(2),
    ].join(' | '),
  );
  return [
    `${cell(table.function)}: ${table.versions.length} versions, ${table.recompiles} recompiles`,
    '',
    '| version | guard that failed | old → new | calls | seconds |',
    '|---|---|---|---:|---:|',
    ...rows.map((row) => `| ${row} |`),
    '',
  ].join('\n');
}
