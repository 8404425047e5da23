/** The machine as the extension sees it: files, PATH, processes. Tests give their own. */
import * as l10n from '@vscode/l10n';
import { execFile } from 'node:child_process';
import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import * as path from 'node:path';

export interface Environment {
  platform: NodeJS.Platform;
  variables: Readonly<Record<string, string | undefined>>;
  isFile(file: string): boolean;
  isFolder(folder: string): boolean;
  /** Without links; the path itself when it is not there. */
  realPath(file: string): string;
  /** Asks the interpreter itself; `error` says why it could not answer. */
  pythonVersion(python: string): Promise<{ version: string } | { error: string }>;
}

const VERSION_TIMEOUT_MS = 15_000;

/** This machine. */
export const machine: Environment = {
  platform: process.platform,
  variables: process.env,
  isFile(file) {
    try {
      if (!statSync(file).isFile()) return false;
      accessSync(file, process.platform === 'win32' ? constants.F_OK : constants.R_OK);
      return true;
    } catch {
      return false;
    }
  },
  isFolder(folder) {
    try {
      return statSync(folder).isDirectory();
    } catch {
      return false;
    }
  },
  realPath(file) {
    try {
      return realpathSync(file);
    } catch {
      return file;
    }
  },
  pythonVersion(python) {
    const program = 'import sys; print("%d.%d.%d" % sys.version_info[:3])';
    const options = { timeout: VERSION_TIMEOUT_MS, windowsHide: true, cwd: path.parse(process.cwd()).root };
    return new Promise((resolve) => {
      execFile(python, ['-I', '-S', '-c', program], options, (error, stdout) => {
        const version = stdout.trim();
        if (/^\d+\.\d+\.\d+$/.test(version)) resolve({ version });
        else resolve({ error: error === null ? l10n.t('it is no Python') : reasonOf(error) });
      });
    });
  },
};

function reasonOf(error: Error & { code?: unknown; killed?: boolean }): string {
  if (error.code === 'ENOENT') return l10n.t('there is no such file');
  if (error.code === 'EACCES') return l10n.t('it may not be executed');
  if (error.killed === true) return l10n.t('it did not answer within {0} s', VERSION_TIMEOUT_MS / 1000);
  return l10n.t('it could not be started');
}

/** The Pythons on PATH in its order, each once. Relative entries are passed over: they depend on the current folder. */
export function pythonsOnPath(environment: Environment): string[] {
  const windows = environment.platform === 'win32';
  const flavour = windows ? path.win32 : path.posix;
  const names = windows ? ['python.exe', 'python3.exe'] : ['python3', 'python'];
  const variable = environment.variables['PATH'] ?? environment.variables['Path'] ?? '';
  const folders = variable.split(flavour.delimiter).filter((folder) => flavour.isAbsolute(folder));
  const files = folders.flatMap((folder) => names.map((name) => flavour.join(folder, name)));
  // The Store's stand-in opens a shop window in place of running anything.
  const usable = files.filter((file) => !/\\WindowsApps\\/i.test(file) && environment.isFile(file));
  return [...new Set(usable)];
}

/** The interpreter inside a virtual environment's folder, if there is one. */
export function pythonIn(folder: string, environment: Environment): string | undefined {
  const file =
    environment.platform === 'win32'
      ? path.win32.join(folder, 'Scripts', 'python.exe')
      : path.posix.join(folder, 'bin', 'python');
  return environment.isFile(file) ? file : undefined;
}
