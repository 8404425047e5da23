/** What torch wrote of a compile, and of exports, as nodes of the runs view that open the texts. */
import * as vscode from 'vscode';
import { eventUriParts } from '../core/event-uri';
import { artifactRow, exportIssueRow, exportRow, exportsRow, recordedRow } from '../core/rows/recorded';
import type { Row } from '../core/rows/row';
import type { Server } from '../core/server';
import type { ExportNote } from '../protocol.gen';
import type { Node } from './tree';

/** The texts of one compile; they are asked for when the row is opened. */
export function recordedNode(server: Server, recording: string, compileId: string): Node {
  return {
    row: recordedRow(recording, compileId),
    children: async () => {
      const { artifacts } = await server.request('compilescope/artifacts', { recording, compileId });
      return artifacts.map((one, index): Node => ({
        row: withText(artifactRow(recording, compileId, one, index), recording, one, one.name, compileId),
      }));
    },
  };
}

/** The exports of a run with their issues; an export opens its program. */
export function exportsNode(recording: string, exports: readonly ExportNote[]): Node {
  return {
    row: exportsRow(recording, exports),
    children: () =>
      Promise.resolve(
        exports.map((note, of): Node => ({
          row: withText(exportRow(recording, note, of), recording, note, note.title, null),
          children: () =>
            Promise.resolve(
              note.issues.map((issue, index): Node => ({ row: exportIssueRow(recording, issue, of, index) })),
            ),
        })),
      ),
  };
}

function withText(
  row: Row,
  recording: string,
  { log, offset }: { log: string | null; offset: number | null },
  name: string,
  compileId: string | null,
): Row {
  if (log === null || offset === null) return row;
  const uri = vscode.Uri.from(eventUriParts({ recording, log, offset }, name, compileId));
  return { ...row, command: { command: 'vscode.open', arguments: [uri] } };
}
