/** Shows problems as notifications, with their ways out as buttons. */
import * as vscode from 'vscode';
import type { Problem } from '../core/problem';
import { buttons, isPassing, problemText } from '../core/problem';

const MOST_BUTTONS = 3;

/** Shows a problem and runs what the user picks; returns when the notification is gone. */
export async function notify(problem: Problem): Promise<void> {
  const ways = buttons(problem).slice(0, MOST_BUTTONS);
  const titles = ways.map(({ title }) => title);
  const picked = isPassing(problem)
    ? await vscode.window.showWarningMessage(problemText(problem), ...titles)
    : await vscode.window.showErrorMessage(problemText(problem), ...titles);
  const way = ways.find(({ title }) => title === picked);
  if (way !== undefined) await vscode.commands.executeCommand(way.command);
}

/** For problems that nobody asked for: each cause is told once until it is over. */
export class Notifier {
  #told = new Set<string>();

  tell(problem: Problem): void {
    if (this.#told.has(problem.code)) return;
    this.#told.add(problem.code);
    void notify(problem);
  }

  over(): void {
    this.#told.clear();
  }
}
