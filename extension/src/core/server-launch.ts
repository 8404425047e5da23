/** Which Python runs the server, and with which command line. */
import * as l10n from '@vscode/l10n';
import type { Environment } from './environment';
import { ProblemError, badSetting, noServerPython } from './problem';

/** How the server is started. `because` says which step chose the interpreter. */
export interface Launch {
  python: string;
  version: string;
  args: string[];
  because: string;
}

/** Where a server interpreter may come from, in the order of preference. */
export interface ServerCandidate {
  python: string;
  because: string;
  /** The setting that names it: then a failure is reported and not passed over. */
  setting?: string;
}

export const MINIMUM: readonly [number, number] = [3, 10];

/**
 * The first candidate that is new enough. Throws ProblemError when there is none, or when the one that a setting
 * names can't be used.
 */
export async function serverLaunch(
  entry: string,
  candidates: AsyncIterable<ServerCandidate> | Iterable<ServerCandidate>,
  environment: Pick<Environment, 'pythonVersion'>,
): Promise<Launch> {
  const trail: string[] = [];
  const tried = new Set<string>();
  for await (const candidate of candidates) {
    if (tried.has(candidate.python)) continue;
    tried.add(candidate.python);
    const version = await environment.pythonVersion(candidate.python);
    const reason = unfit(version);
    if (reason === undefined && 'version' in version) {
      return {
        python: candidate.python,
        version: version.version,
        args: ['-I', '-S', '-X', 'utf8', entry],
        because: candidate.because,
      };
    }
    if (candidate.setting !== undefined) {
      throw new ProblemError(badSetting(candidate.setting, candidate.python, reason ?? ''));
    }
    trail.push(`${candidate.python} (${candidate.because}): ${reason ?? ''}`);
  }
  throw new ProblemError(
    noServerPython(MINIMUM.join('.'), trail.length === 0 ? l10n.t('no Python on PATH') : trail.join('; ')),
  );
}

function unfit(found: { version: string } | { error: string }): string | undefined {
  if ('error' in found) return found.error;
  const [major = 0, minor = 0] = found.version.split('.').map(Number);
  const enough = major > MINIMUM[0] || (major === MINIMUM[0] && minor >= MINIMUM[1]);
  return enough ? undefined : l10n.t('it is Python {0}, older than {1}', found.version, MINIMUM.join('.'));
}
