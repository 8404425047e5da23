/** Numbers as the panels write them: U+2212 for minus, three significant digits, narrow units. */

import { NOUNS, type Noun } from './nouns';

const MINUS = '\u2212';

/** `Δ`-style number: `+18`, `−112`, `0`. */
export function signed(value: number): string {
  if (value === 0) return '0';
  return value > 0 ? `+${value}` : `${MINUS}${-value}`;
}

/** A number with thousands separators and a true minus sign. */
export function count(value: number): string {
  return (value < 0 ? MINUS : '') + Math.abs(value).toLocaleString('en-US');
}

/** `count` with its noun: `1 node`, `2,000 nodes`. */
export function many(value: number, noun: Noun): string {
  return NOUNS[noun][value === 1 ? 0 : 1].replace('{0}', count(value));
}

/** Duration: `2.69 s`, `155 ms`, `1.4 ms`, `0.47 ms`. */
export function duration(seconds: number): string {
  const ms = seconds * 1000;
  if (ms >= 99_950) return `${seconds.toFixed(0)} s`;
  if (ms >= 9_995) return `${seconds.toFixed(1)} s`;
  if (ms >= 999.5) return `${seconds.toFixed(2)} s`;
  if (ms >= 99.95) return `${ms.toFixed(0)} ms`;
  if (ms >= 0.995) return `${ms.toFixed(1)} ms`;
  if (ms >= 0.005) return `${ms.toFixed(2)} ms`;
  return ms > 0 ? '<0.01 ms' : '0 ms';
}

/** Share as a percentage: `17 %`, `0.8 %`. */
export function percent(share: number): string {
  const value = share * 100;
  return `${Math.abs(value) >= 9.95 ? value.toFixed(0) : value.toFixed(1)} %`.replace('-', MINUS);
}

/** Size of a tensor: `2.0 MiB`. */
export function bytes(size: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0;
  let value = size;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return unit === 0 ? `${value} B` : `${value.toFixed(1)} ${units[unit]}`;
}

/** Last part of a path. */
export function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}
