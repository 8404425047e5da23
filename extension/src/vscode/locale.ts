/** Sets the language of our texts. Imported first: constants of other modules are texts already. */
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';

if (vscode.l10n.bundle !== undefined) l10n.config({ contents: vscode.l10n.bundle });
