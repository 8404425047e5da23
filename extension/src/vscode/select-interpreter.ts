/** The list from which the user picks the interpreter for scripts. */
import * as l10n from '@vscode/l10n';
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
      description: candidate.python === current?.python ? l10n.t('{0} · in use', candidate.origin) : candidate.origin,
      python: candidate.python,
    })),
    { label: '', kind: vscode.QuickPickItemKind.Separator },
    {
      label: l10n.t('$(folder-opened) Browse…'),
      description: l10n.t('a Python that is not in the list'),
      browse: true,
    },
    {
      label: l10n.t('$(discard) Automatic'),
      description: l10n.t('as the Python Environments or Python extension says, else the first on PATH'),
    },
  ]);
  const picked = await vscode.window.showQuickPick(items, {
    title: l10n.t('Interpreter for Compile and Trace'),
    placeHolder: l10n.t('The Python that runs your script; it needs torch'),
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
    title: l10n.t('Python interpreter'),
    openLabel: l10n.t('Use This Python'),
    canSelectMany: false,
  });
  return chosen?.[0]?.fsPath;
}

export async function copyInstallCommand(python: string): Promise<void> {
  await vscode.env.clipboard.writeText(`${/\s/.test(python) ? `"${python}"` : python} -m pip install torch`);
  vscode.window.setStatusBarMessage(l10n.t('$(check) Copied: paste it into a terminal'), 5_000);
}
