/** Addresses of places in logs. */
import type { LogPlaceParams } from '../protocol.gen';

export const LOG_PLACE_SCHEME = 'compilescope-log-place';

/** Parts of the address of the lines around a byte of a log; the tab says which. */
export function logPlaceUriParts(place: LogPlaceParams): { scheme: string; path: string; query: string } {
  const { recording, log, offset } = place;
  const name = log.split(/[/\\]/).at(-1) ?? '';
  const safe = name.replace(/[^\w.-]+/g, '_');
  return {
    scheme: LOG_PLACE_SCHEME,
    path: `/${safe} byte ${offset}.log`,
    query: JSON.stringify({ recording, log, offset }),
  };
}

/** The place that a URI's query names; undefined when it names none. */
export function logPlaceAddress(query: string): LogPlaceParams | undefined {
  try {
    const { recording, log, offset } = JSON.parse(query) as Partial<LogPlaceParams>;
    if (typeof recording !== 'string' || typeof log !== 'string' || typeof offset !== 'number') return undefined;
    return { recording, log, offset };
  } catch {
    return undefined;
  }
}

/** Where the text of an event names its place in the log, by line and columns from 0; undefined where it does not. */
export function placeInEventText(
  text: string,
  { log, offset }: LogPlaceParams,
): { line: number; start: number; end: number } | undefined {
  const named = `${log}:${offset}`;
  const [, second = ''] = text.split('\n', 2);
  const start = second.indexOf(named);
  return start < 0 ? undefined : { line: 1, start, end: start + named.length };
}
