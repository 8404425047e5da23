/** The item in the status bar. */
import * as vscode from 'vscode';
import { PROBLEM_COMMANDS } from '../core/problem';
import type { StatusInput, StatusTone } from '../core/status';
import { MENU, statusView } from '../core/status';
import { statusBarMode } from './configuration';

const COLORS: Readonly<Record<StatusTone, { color?: string; background?: string }>> = {
  plain: {},
  findings: { color: 'problemsWarningIcon.foreground' },
  warning: { background: 'statusBarItem.warningBackground' },
  error: { background: 'statusBarItem.errorBackground' },
};

export class StatusItem implements vscode.Disposable {
  readonly #item = vscode.window.createStatusBarItem('compilescope.status', vscode.StatusBarAlignment.Left, 10);

  constructor() {
    this.#item.name = 'Compilescope';
    this.#item.command = 'compilescope.findings.focus';
  }

  show(input: StatusInput): void {
    const view = statusView(input);
    const look = COLORS[view.tone];
    this.#item.text = view.text;
    this.#item.color = look.color === undefined ? undefined : new vscode.ThemeColor(look.color);
    this.#item.backgroundColor = look.background === undefined ? undefined : new vscode.ThemeColor(look.background);
    const tooltip = new vscode.MarkdownString(view.tooltip, true);
    tooltip.isTrusted = { enabledCommands: [...MENU.map(({ command }) => command), ...PROBLEM_COMMANDS] };
    this.#item.tooltip = tooltip;
    this.#item.accessibilityInformation = { label: `Compilescope: ${view.text.replace(/\$\([^)]*\)\s*/g, '')}` };
    const mode = statusBarMode();
    if (mode === 'always' || (mode === 'auto' && (!view.quiet || pythonIsOpen()))) this.#item.show();
    else this.#item.hide();
  }

  dispose(): void {
    this.#item.dispose();
  }
}

function pythonIsOpen(): boolean {
  return vscode.window.visibleTextEditors.some((editor) => editor.document.languageId === 'python');
}
