/** What a row of a tree is: words and icons. Knows nothing of VS Code. */

export interface Row {
  /** Stable while the thing it stands for is the same, so that a tree keeps its place. */
  id: string;
  label: string;
  description: string;
  tooltip: string;
  icon: string;
  color?: string;
  /** For menus: `run`, `function`, `compile`, `step`, `kernel`, `phase`, `pass`, `finding`, `ranks`, `problem`, `note`. */
  kind: string;
  /** May be opened. */
  branch: boolean;
  /** The compile that it stands for. */
  compileId?: string;
  command?: { command: string; arguments: unknown[] };
}

export const WARNING = 'list.warningForeground';
export const ERROR = 'list.errorForeground';
export const PASSED = 'testing.iconPassed';

/** The parts that are there, one a line. */
export function lines(...parts: (string | null)[]): string {
  return parts.filter((part) => part !== null && part !== '').join('\n');
}

/** A command that opens a place; `line` counts from 0. */
export function opening(file: string, line: number, column = 0): NonNullable<Row['command']> {
  return { command: 'compilescope.openSource', arguments: [{ file, line, column, endLine: -1, endColumn: -1 }] };
}

export function noteRow(recording: string, note: string, index: number): Row {
  return {
    id: `${recording}\nnote ${index}`,
    label: note,
    description: '',
    tooltip: note,
    icon: 'note',
    kind: 'note',
    branch: false,
  };
}
