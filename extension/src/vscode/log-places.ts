/** Places in logs as read-only documents: the lines around a byte, the place marked, with ways to what is beside it. */
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { EVENT_SCHEME, eventAddress, eventUriParts } from '../core/event-uri';
import { LOG_PLACE_SCHEME, logPlaceAddress, logPlaceUriParts, placeInEventText } from '../core/log-place-uri';
import { problemOf } from '../core/problem';
import { damageRow, damagedPlaceRow, moreDamageRow } from '../core/rows/damage';
import type { Server } from '../core/server';
import type { DamageNotes, LogLink, LogPlaceParams, LogPlaceResult } from '../protocol.gen';
import type { Node } from './tree';

/** What could not be read of a run, as nodes of the runs view that open the places. */
export function damageNode(recording: string, damage: DamageNotes): Node {
  const places = damage.places.map((place, index): Node => {
    const uri = vscode.Uri.from(logPlaceUriParts({ recording, log: place.log, offset: place.offset }));
    const row = damagedPlaceRow(recording, place, index);
    return { row: { ...row, command: { command: 'vscode.open', arguments: [uri] } } };
  });
  const more = damage.more > 0 ? [{ row: moreDamageRow(recording, damage.more) }] : [];
  return { row: damageRow(recording, damage), children: () => Promise.resolve([...places, ...more]) };
}

/** Texts by address, their marks and links; and links from the texts of events to their places. */
export class LogPlaces implements vscode.Disposable {
  readonly #known = new Map<string, LogPlaceResult>();
  readonly #mark = vscode.window.createTextEditorDecorationType({
    backgroundColor: new vscode.ThemeColor('editor.findMatchHighlightBackground'),
    overviewRulerColor: new vscode.ThemeColor('editorOverviewRuler.warningForeground'),
    isWholeLine: true,
  });
  /** Editors that were brought to their place. */
  readonly #shown = new WeakSet<vscode.TextEditor>();
  readonly #parts: vscode.Disposable;

  constructor(private readonly server: Server) {
    this.#parts = vscode.Disposable.from(
      this.#mark,
      vscode.workspace.registerTextDocumentContentProvider(LOG_PLACE_SCHEME, {
        provideTextDocumentContent: (uri) => this.#text(uri),
      }),
      vscode.languages.registerDocumentLinkProvider(
        { scheme: LOG_PLACE_SCHEME },
        { provideDocumentLinks: ({ uri }) => this.#links(uri) },
      ),
      vscode.languages.registerDocumentLinkProvider(
        { scheme: EVENT_SCHEME },
        { provideDocumentLinks: (document) => linkOfEvent(document) },
      ),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#known.delete(uri.toString())),
      vscode.window.onDidChangeVisibleTextEditors((editors) => {
        this.#show(editors);
      }),
    );
    this.#show(vscode.window.visibleTextEditors);
  }

  dispose(): void {
    this.#parts.dispose();
  }

  async #text(uri: vscode.Uri): Promise<string> {
    const place = logPlaceAddress(uri.query);
    if (place === undefined) return l10n.t('# not the address of a place in a log\n');
    try {
      const found = await this.server.request('compilescope/logPlace', place);
      this.#known.set(uri.toString(), found);
      return found.text;
    } catch (error) {
      const { title, detail } = problemOf(error);
      return `# ${title}\n# ${detail}\n`;
    }
  }

  #links(uri: vscode.Uri): vscode.DocumentLink[] {
    const place = logPlaceAddress(uri.query);
    const links = this.#known.get(uri.toString())?.links ?? [];
    return place === undefined ? [] : links.map((link) => linkTo(place, link));
  }

  /** Marks the places, and brings an editor that is new to its own. */
  #show(editors: readonly vscode.TextEditor[]): void {
    for (const editor of editors) {
      const found = this.#known.get(editor.document.uri.toString());
      if (found === undefined) continue;
      const marked = new vscode.Range(found.line, 0, found.endLine, 0);
      editor.setDecorations(this.#mark, [marked]);
      if (this.#shown.has(editor)) continue;
      this.#shown.add(editor);
      editor.selection = new vscode.Selection(marked.start, marked.start);
      editor.revealRange(marked, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    }
  }
}

function linkTo({ recording, log }: LogPlaceParams, link: LogLink): vscode.DocumentLink {
  const { line, start, end, offset, name, compileId } = link;
  const place = { recording, log, offset };
  const parts = name === null ? logPlaceUriParts(place) : eventUriParts(place, name, compileId);
  return new vscode.DocumentLink(new vscode.Range(line, start, line, end), vscode.Uri.from(parts));
}

function linkOfEvent(document: vscode.TextDocument): vscode.DocumentLink[] {
  const place = eventAddress(document.uri.query);
  const head = document.getText(new vscode.Range(0, 0, 2, 0));
  const found = place === undefined ? undefined : placeInEventText(head, place);
  if (place === undefined || found === undefined) return [];
  const range = new vscode.Range(found.line, found.start, found.line, found.end);
  return [new vscode.DocumentLink(range, vscode.Uri.from(logPlaceUriParts(place)))];
}
