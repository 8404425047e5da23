/** Where the user's interpreter comes from. The two Python extensions are optional; their APIs are only looked at. */
import * as l10n from '@vscode/l10n';
import * as path from 'node:path';
import * as vscode from 'vscode';
import type { Environment } from '../core/environment';
import { pythonIn, pythonsOnPath } from '../core/environment';
import type { Choice, Step } from '../core/interpreter';
import { chooseInterpreter } from '../core/interpreter';
import type { ServerCandidate } from '../core/server-launch';
import { isInside } from '../core/source-path';
import { interpreterSetting, serverInterpreterSetting } from './configuration';

const ENVIRONMENTS = 'ms-python.vscode-python-envs';
const PYTHON = 'ms-python.python';

interface EnvironmentsApi {
  getEnvironment(scope: vscode.Uri | undefined): Promise<EnvironmentsEnvironment | undefined>;
  getEnvironments(scope: 'all'): Promise<EnvironmentsEnvironment[]>;
  onDidChangeEnvironment: vscode.Event<unknown>;
}

interface EnvironmentsEnvironment {
  displayName?: string;
  execInfo?: { run?: { executable?: string } };
}

interface PythonApi {
  environments: {
    getActiveEnvironmentPath(resource: vscode.Uri | undefined): { path: string };
    resolveEnvironment(
      environment: { path: string } | string,
    ): Promise<{ executable: { uri?: vscode.Uri } } | undefined>;
    known: readonly { path: string; executable?: { uri?: vscode.Uri } }[];
    onDidChangeActiveEnvironmentPath: vscode.Event<unknown>;
  };
}

/** An interpreter that the user may choose. */
export interface Candidate {
  python: string;
  origin: string;
}

export class Interpreters implements vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #disposables: { dispose(): unknown }[] = [this.#changed];
  readonly #watched = new Set<string>();
  #said = '';

  /** Fires when one of the extensions has another interpreter selected, or has just been installed. */
  readonly onDidChange = this.#changed.event;

  constructor(
    private readonly environment: Environment,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.#disposables.push(
      vscode.extensions.onDidChange(() => {
        this.#changed.fire();
      }),
    );
  }

  dispose(): void {
    for (const disposable of this.#disposables) disposable.dispose();
  }

  /** The interpreter for a script. Throws ProblemError when no step of the ladder has one. */
  async choose(scope: vscode.Uri | undefined): Promise<Choice> {
    const choice = await chooseInterpreter(this.#steps(scope), (python) => this.environment.isFile(python));
    const said = [`interpreter: ${choice.python}, decided by ${choice.step}`, ...choice.trail].join('\n  ');
    if (said === this.#said) this.log.debug(said);
    else this.log.info(said);
    this.#said = said;
    return choice;
  }

  /** Interpreters for the server itself, best first. In an untrusted workspace nothing inside of it is started. */
  async *serverCandidates(): AsyncIterable<ServerCandidate> {
    const setting = serverInterpreterSetting();
    if (setting !== '') {
      const because = 'compilescope.server.interpreter';
      yield { python: setting, because, setting: because };
      return;
    }
    if (vscode.workspace.isTrusted) {
      try {
        const choice = await this.choose(undefined);
        yield { python: choice.python, because: choice.step };
      } catch {
        // No interpreter for scripts is a problem of the next trace; the server may still have one.
      }
    }
    const folders = (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath);
    for (const python of pythonsOnPath(this.environment)) {
      if (vscode.workspace.isTrusted || !isInside(python, folders)) yield { python, because: 'PATH' };
    }
  }

  /** What the user may choose from: environments of the extensions, virtual environments in the folders, PATH. */
  async candidates(): Promise<Candidate[]> {
    const found: Candidate[] = [];
    const environments = (await this.#environments())?.getEnvironments('all').catch(() => []);
    for (const each of (await environments) ?? []) {
      const python = each.execInfo?.run?.executable;
      if (python !== undefined) found.push({ python, origin: each.displayName ?? l10n.t('Python Environments') });
    }
    for (const each of (await this.#python())?.environments.known ?? []) {
      const python = each.executable?.uri?.fsPath;
      if (python !== undefined) found.push({ python, origin: l10n.t('Python extension') });
    }
    for (const folder of vscode.workspace.workspaceFolders ?? []) {
      for (const name of ['.venv', 'venv', 'env']) {
        const python = pythonIn(path.join(folder.uri.fsPath, name), this.environment);
        if (python !== undefined) found.push({ python, origin: `${folder.name}/${name}` });
      }
    }
    for (const variable of ['VIRTUAL_ENV', 'CONDA_PREFIX']) {
      const prefix = this.environment.variables[variable];
      const python = prefix === undefined ? undefined : pythonIn(prefix, this.environment);
      if (python !== undefined) found.push({ python, origin: variable });
    }
    found.push(...pythonsOnPath(this.environment).map((python) => ({ python, origin: 'PATH' })));
    return [...new Map(found.toReversed().map((each) => [each.python, each])).values()].toReversed();
  }

  #steps(scope: vscode.Uri | undefined): Step[] {
    const setting = interpreterSetting(scope);
    return [
      {
        name: 'compilescope.interpreter',
        setting: 'compilescope.interpreter',
        find: () => Promise.resolve(setting === '' ? { nothing: l10n.t('not set') } : { python: setting }),
      },
      { name: l10n.t('Python Environments'), find: () => this.#fromEnvironments(scope) },
      { name: l10n.t('Python extension'), find: () => this.#fromPython(scope) },
      {
        name: 'PATH',
        find: () => {
          const python = pythonsOnPath(this.environment)[0];
          return Promise.resolve(python === undefined ? { nothing: l10n.t('no Python there') } : { python });
        },
      },
    ];
  }

  async #fromEnvironments(scope: vscode.Uri | undefined): Promise<{ python: string } | { nothing: string }> {
    const api = await this.#environments();
    if (api === undefined) return { nothing: l10n.t('not installed') };
    const python = (await api.getEnvironment(scope))?.execInfo?.run?.executable;
    return python === undefined ? { nothing: l10n.t('none selected') } : { python };
  }

  async #fromPython(scope: vscode.Uri | undefined): Promise<{ python: string } | { nothing: string }> {
    const api = await this.#python();
    if (api === undefined) return { nothing: l10n.t('not installed') };
    const active = api.environments.getActiveEnvironmentPath(scope);
    const python = (await api.environments.resolveEnvironment(active))?.executable.uri?.fsPath;
    return python === undefined ? { nothing: l10n.t('none selected') } : { python };
  }

  async #environments(): Promise<EnvironmentsApi | undefined> {
    const api = await exportsOf<EnvironmentsApi>(ENVIRONMENTS);
    if (typeof api?.getEnvironment !== 'function') return undefined;
    this.#watch(ENVIRONMENTS, api.onDidChangeEnvironment);
    return api;
  }

  async #python(): Promise<PythonApi | undefined> {
    const api = await exportsOf<PythonApi>(PYTHON);
    if (typeof api?.environments.getActiveEnvironmentPath !== 'function') return undefined;
    this.#watch(PYTHON, api.environments.onDidChangeActiveEnvironmentPath);
    return api;
  }

  #watch(id: string, event: vscode.Event<unknown>): void {
    if (this.#watched.has(id)) return;
    this.#watched.add(id);
    this.#disposables.push(
      event(() => {
        this.#changed.fire();
      }),
    );
  }
}

async function exportsOf<T>(id: string): Promise<(Partial<T> & T) | undefined> {
  const extension = vscode.extensions.getExtension<T | undefined>(id);
  if (extension === undefined) return undefined;
  return (extension.isActive ? extension.exports : await extension.activate()) ?? undefined;
}
