/** Numbers and times as they are shown (mock-ups, wording rule 6). */
import * as l10n from '@vscode/l10n';

/** Two decimals below 10 s, one from there on. */
export function seconds(value: number): string {
  return `${value.toFixed(value < 9.995 ? 2 : 1)} s`;
}

/** The parts that are there, with middle dots between. */
export function dotted(...parts: (string | false | null | undefined)[]): string {
  return parts.filter((part) => typeof part === 'string' && part !== '').join(' · ');
}

/** `today 13:17`, `yesterday 09:02`, `2026-11-20 13:17`, in local time. */
export function when(iso: string, now: Date): string {
  const time = new Date(iso);
  return sameDay(time, now) ? l10n.t('today {0}', clockOf(time)) : whenBriefly(iso, now);
}

/** As `when`, but only `13:17` for today. */
export function whenBriefly(iso: string, now: Date): string {
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) return iso;
  const clock = clockOf(time);
  const yesterday = new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1);
  if (sameDay(time, now)) return clock;
  if (sameDay(time, yesterday)) return l10n.t('yesterday {0}', clock);
  return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())} ${clock}`;
}

/** Text out of a recording or from the machine, made harmless inside Markdown. */
export function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_{}[\]()#+\-.!|<>&~$]/g, '\\$&').replace(/\r?\n/g, ' ');
}

function clockOf(time: Date): string {
  return `${two(time.getHours())}:${two(time.getMinutes())}`;
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}

function sameDay(a: Date, b: Date): boolean {
  return a.getFullYear() === b.getFullYear() && a.getMonth() === b.getMonth() && a.getDate() === b.getDate();
}
