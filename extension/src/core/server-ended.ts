/** What is said of a server that ended: a whole sentence for each way and occasion. */
import * as l10n from '@vscode/l10n';
import type { Ended } from './server';

/** While an answer was owed; undefined when it was stopped by us. */
export function endedWhileAsked(ended: Ended | undefined): string {
  if (ended === undefined) return l10n.t("Compilescope's server was stopped before it could answer.");
  return ended.signal === null
    ? l10n.t("Compilescope's server ended with exit code {0} before it could answer.", String(ended.code))
    : l10n.t("Compilescope's server was ended by {0} before it could answer.", ended.signal);
}

export function endedWhileStarting(ended: Ended): string {
  return ended.signal === null
    ? l10n.t("Compilescope's server ended with exit code {0} while it started.", String(ended.code))
    : l10n.t("Compilescope's server was ended by {0} while it started.", ended.signal);
}

/** So often that it is not started again. */
export function endedAgain(times: number, minutes: number, last: Ended): string {
  return last.signal === null
    ? l10n.t(
        "Compilescope's server ended {0} times within {1} minutes; the last one ended with exit code {2}.",
        times,
        minutes,
        String(last.code),
      )
    : l10n.t(
        "Compilescope's server ended {0} times within {1} minutes; the last one was ended by {2}.",
        times,
        minutes,
        last.signal,
      );
}
