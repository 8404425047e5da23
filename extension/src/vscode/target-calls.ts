/** Asks what a function or module is called with, and keeps the answers in the workspace. */
import * as vscode from 'vscode';
import type { AskingHost, Remembered } from '../core/target-call';

const KEY = 'targets';
/** So many targets are remembered, those used last. */
const MOST = 200;

export function targetCalls(memory: vscode.Memento): AskingHost {
  const all = (): Record<string, Remembered> => memory.get<Record<string, Remembered>>(KEY, {});
  return {
    ask: async (question) => vscode.window.showInputBox({ ...question, ignoreFocusOut: true }),
    recall: (key) => all()[key],
    remember: (key, call) => {
      const others = Object.entries(all()).filter(([other]) => other !== key);
      void memory.update(KEY, Object.fromEntries([...others, [key, call] as const].slice(-MOST)));
    },
  };
}
