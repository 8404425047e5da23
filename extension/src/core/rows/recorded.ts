/** Rows of the texts that torch wrote of a compile, and of what was exported. */
import * as l10n from '@vscode/l10n';
import type { ArtifactInfo, ExportIssueNote, ExportNote } from '../../protocol.gen';
import { dotted } from '../text';
import type { Row } from './row';
import { ERROR, WARNING, lines, noteRow, opening } from './row';

/** The row that holds the texts of a compile. */
export function recordedRow(recording: string, compileId: string): Row {
  return {
    ...noteRow(`${recording}\n${compileId}\nrecorded`, l10n.t('Recorded texts'), 0),
    tooltip: l10n.t('Graphs, code, guards and metrics of this compile as torch wrote them.'),
    icon: 'files',
    branch: true,
    compileId,
  };
}

/** One of the texts; what opens it is up to the view. */
export function artifactRow(recording: string, compileId: string, artifact: ArtifactInfo, index: number): Row {
  const { name, attempt, bytes } = artifact;
  return {
    ...noteRow(`${recording}\n${compileId}\nrecorded`, name, index + 1),
    description: dotted(attempt !== null && l10n.t('attempt {0}', attempt), size(bytes)),
    icon: 'file-code',
    compileId,
  };
}

/** The row that holds the exports of a run. */
export function exportsRow(recording: string, exports: readonly ExportNote[]): Row {
  const bad = exports.filter(({ failed, issues }) => failed || issues.length > 0).length;
  return {
    ...noteRow(`${recording}\nexports`, l10n.t('Exports'), 0),
    description: dotted(String(exports.length), bad > 0 && l10n.t('{0} with issues', bad)),
    icon: 'package',
    ...(bad > 0 ? { color: WARNING } : {}),
    branch: true,
  };
}

export function exportRow(recording: string, note: ExportNote, index: number): Row {
  return {
    ...noteRow(`${recording}\nexports`, note.title, index + 1),
    tooltip: lines(note.title, ...note.issues.map(({ title }) => title)),
    icon: note.failed ? 'error' : note.issues.length > 0 ? 'warning' : 'pass',
    ...(note.failed ? { color: ERROR } : note.issues.length > 0 ? { color: WARNING } : {}),
    branch: note.issues.length > 0,
  };
}

export function exportIssueRow(recording: string, issue: ExportIssueNote, of: number, index: number): Row {
  const { title, file, line } = issue;
  const isPlaced = file !== null && line !== null;
  return {
    ...noteRow(`${recording}\nexports ${of}`, title, index),
    description: isPlaced ? l10n.t('line {0}', line + 1) : '',
    tooltip: lines(title, isPlaced ? `${file}:${line + 1}` : null),
    icon: 'circle-small',
    ...(isPlaced ? { command: opening(file, line) } : {}),
  };
}

/** `950 B`, `3.2 kB`, `1.5 MB`. */
function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1e6 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
