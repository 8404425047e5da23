/** Addresses of log windows: which records of which recording, with a readable name for the tab. */
import type { LogTextParams } from '../protocol.gen';

export const LOG_SCHEME = 'compilescope-log';

/** The parts of a URI that stands for some records. Its end makes it a `log` for VS Code's colours. */
export function logUriParts(address: LogTextParams): { scheme: string; path: string; query: string } {
  const names = address.names.length === 0 ? 'all logs' : address.names.slice(0, 3).join(' ');
  const more = address.names.length > 3 ? ` and ${address.names.length - 3} more` : '';
  const safe = `${names}${more} ${address.level}`.replace(/[^\w.+ -]+/g, '_');
  return { scheme: LOG_SCHEME, path: `/${safe}.log`, query: JSON.stringify(address) };
}

/** The records that a URI's query names; undefined when it names none. */
export function logAddress(query: string): LogTextParams | undefined {
  try {
    const { recording, names, level } = JSON.parse(query) as Partial<LogTextParams>;
    if (typeof recording !== 'string' || typeof level !== 'string' || !Array.isArray(names)) return undefined;
    return { recording, level, names: names.filter((name) => typeof name === 'string') };
  } catch {
    return undefined;
  }
}
