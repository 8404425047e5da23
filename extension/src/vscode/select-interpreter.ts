/** The list from which the user picks the interpreter for scripts. */
import * as vscode from 'vscode';
import type { Choice } from '../core/interpreter';
import { writeInterpreter } from './configuration';
import type { Interpreters } from './interpreters';

interface Item extends vscode.QuickPickItem {
  /** Undefined: the ladder decides again. */
  python?: string;
  browse?: boolean;
}

/** Asks, and writes the answer into the settings. True when something was chosen. */
export async function selectInterpreter(
  interpreters: Interpreters,
  current: Choice | undefined,
  scope: vscode.Uri | undefined,
): Promise<boolean> {
  const items = interpreters.candidates().then((candidates): Item[] => [
    ...candidates.map((candidate) => ({
      label: candidate.python,
      description: candidate.python === current?.python ? `${candidate.origin} · in use` : candidate.origin,
      python: candidate.python,
    })),
    { label: '', kind: vscode.QuickPickItemKind.Separator },
    { label: '$(folder-opened) Browse…', description: 'a Python that is not in the list', browse: true },
    {
      label: '$(discard) Automatic',
      description: 'as the Python Environments or Python extension says, else the first on PATH',
    },
  ]);
  const picked = await vscode.window.showQuickPick(items, {
    title: 'Interpreter for Compile and Trace',
    placeHolder: 'The Python that runs your script; it needs torch',
    matchOnDescription: true,
  });
  if (picked === undefined) return false;
  const python = picked.browse === true ? await browse() : picked.python;
  if (picked.browse === true && python === undefined) return false;
  await writeInterpreter(python, scope);
  return true;
}

async function browse(): Promise<string | undefined> {
  const chosen = await vscode.window.showOpenDialog({
    title: 'Python interpreter',
    openLabel: 'Use This Python',
    canSelectMany: false,
  });
  return chosen?.[0]?.fsPath;
}
