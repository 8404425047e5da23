/** Addresses of the texts of events. */
import type { EventTextParams } from '../protocol.gen';

export const EVENT_SCHEME = 'compilescope-event';

/** Payloads that are Python, or close to it. */
const PYTHON = /graph|output_code|source/;

/** Parts of the address of an event's text; its name and compile are what the tab says. */
export function eventUriParts(
  address: EventTextParams,
  name: string,
  compileId: string | null,
): { scheme: string; path: string; query: string } {
  const safe = [name, compileId === null ? '' : `[${compileId}]`].join(' ').replace(/[^\w.@()[\]·: -]+/g, '_');
  const end = PYTHON.test(name) ? 'py' : 'txt';
  return { scheme: EVENT_SCHEME, path: `/${safe.trim()}.${end}`, query: JSON.stringify(address) };
}

/** The event that a URI's query names; undefined when it names none. */
export function eventAddress(query: string): EventTextParams | undefined {
  try {
    const { recording, log, offset } = JSON.parse(query) as Partial<EventTextParams>;
    if (typeof recording !== 'string' || typeof log !== 'string' || typeof offset !== 'number') return undefined;
    return { recording, log, offset };
  } catch {
    return undefined;
  }
}
