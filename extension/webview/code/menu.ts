/** What VS Code's context menu of a column acts on: the commands of `webview/context` are given it as their argument. */
import type { CodeAddress, SourcePlace } from '../../src/shared/messages';
import { placeOfGroup } from './queries';
import type { Row } from './rows';
import type { CodeSession, ColumnName } from './session';
import { isStage, stageOf } from './tabs';

/** The parts that a command takes, and what there is, for the menu to show only what leads somewhere. */
export interface MenuContext extends Partial<SourcePlace>, Partial<CodeAddress> {
  preventDefaultContextMenuItems: true;
  compilescopeText: boolean;
  compilescopeSource: boolean;
  compilescopeNode: boolean;
  compilescopeCode: boolean;
  text?: string;
  node?: string;
  row?: number;
}

/** The context of a row, or of a column where no row is meant. `selected`: the text that is selected in the page. */
export function menuContext(
  session: CodeSession,
  name: ColumnName,
  row: Row | undefined,
  selected: string,
): MenuContext {
  const { recording, compileId, graph } = session.ui;
  const text = selected === '' ? textOf(row) : selected;
  const place = row?.type === 'source' && row.groups.length === 0 ? lineOf(session, row.line) : placeIn(session, row);
  const node = nodeOf(session, row);
  const code = name === 'code' && recording !== null ? codeOf(session, recording) : null;
  return {
    preventDefaultContextMenuItems: true,
    compilescopeText: text !== '',
    compilescopeSource: place !== null,
    compilescopeNode: node !== null,
    compilescopeCode: code !== null,
    ...place,
    ...(recording === null || (node === null && code === null) ? {} : { recording, compileId, graph }),
    ...(node === null ? {} : { node }),
    ...code,
    ...(text === '' ? {} : { text }),
    ...(row !== undefined && 'line' in row ? { row: row.line } : {}),
  };
}

function textOf(row: Row | undefined): string {
  if (row === undefined) return '';
  if (row.type === 'node') return `%${row.node.name} = ${row.node.target}${row.node.args}`;
  return row.type === 'fold' ? row.label : row.text.trim();
}

/** The place of what is selected: a row is selected before its menu opens. */
function placeIn(session: CodeSession, row: Row | undefined): SourcePlace | null {
  if (row === undefined) return session.place;
  if (row.type === 'source') return session.place ?? lineOf(session, row.line);
  return row.group < 0 ? null : placeOfGroup(session.result, row.group);
}

function lineOf({ ui }: CodeSession, line: number): SourcePlace | null {
  return ui.file === null ? null : { file: ui.file, line, column: -1, endLine: line, endColumn: -1 };
}

function nodeOf(session: CodeSession, row: Row | undefined): string | null {
  const hasGroup = row === undefined || row.type === 'node' || session.ui.group !== null;
  return hasGroup ? (session.selection?.node ?? null) : null;
}

function codeOf(session: CodeSession, recording: string): CodeAddress | null {
  const { ui, tab, text, kernel } = session;
  if (text === null) return null;
  const stage = isStage(tab) && kernel !== null ? { kernel: kernel.name, kind: stageOf(tab, kernel) } : null;
  const { compileId, graph } = ui;
  return { recording, compileId, graph, kernel: null, kind: text.kind, preview: text.preview, ...stage };
}
