/** What passes between the server's features and the editor on its way. */
import type { Middleware } from 'vscode-languageclient/node';
import { codeLensEnabled } from './configuration';
import type { InlineText } from './inline-text';
import type { TraceProgress } from './trace-host';

export function middleware(inlineText: InlineText, progress: TraceProgress): Middleware {
  return {
    handleDiagnostics(uri, diagnostics, next) {
      inlineText.set(uri, diagnostics);
      next(uri, diagnostics);
    },
    provideCodeLenses(document, token, next) {
      return codeLensEnabled(document.uri) ? next(document, token) : [];
    },
    // A run that the user started shows in a notification with Cancel; the same again in the status bar is noise.
    handleWorkDoneProgress(token, params, next) {
      if (progress.active && params.kind !== 'end') {
        if (params.message !== undefined) progress.report(params.message);
      } else {
        next(token, params);
      }
    },
  };
}
