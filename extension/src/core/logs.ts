/** Torch's logs: what there is to choose for a trace, and what of it to read in a log window. */
import * as l10n from '@vscode/l10n';
import type { LogCountInfo, LogNameInfo } from '../protocol.gen';
import { count } from './nouns';
import { dotted } from './text';

/** A row of a list to choose from. `token`: what it stands for; a row without one is a heading. */
export interface LogRow {
  label: string;
  description?: string;
  detail?: string;
  token?: string;
}

/** In the order from which a lower level has all that a higher one has. */
export const LEVELS = ['DEBUG', 'INFO', 'WARNING', 'ERROR', 'CRITICAL'] as const;

/** Component levels as `TORCH_LOGS` writes them. */
const SIGNS = [
  { sign: '+', heading: l10n.t('Components, everything (DEBUG)') },
  { sign: '', heading: l10n.t('Components, from INFO on') },
  { sign: '-', heading: l10n.t('Components, errors only') },
] as const;

/** All that this torch can log, as `TORCH_LOGS` writes it: artifacts first, then components at each level. */
export function choices(names: readonly LogNameInfo[]): LogRow[] {
  const of = (kind: string): LogNameInfo[] => names.filter((one) => one.kind === kind);
  const artifacts = of('artifact').map(({ name, description, offByDefault }) => ({
    label: name,
    token: name,
    description: offByDefault ? l10n.t('only when chosen by name') : '',
    detail: description,
  }));
  const components = SIGNS.flatMap(({ sign, heading }) => [
    { label: heading },
    ...of('component').map(({ name, description }) => ({
      label: `${sign}${name}`,
      token: `${sign}${name}`,
      description,
    })),
  ]);
  return [{ label: l10n.t('Artifacts') }, ...artifacts, ...components];
}

/** What a trace is to record, as in `TORCH_LOGS`; null for nothing. Of a component chosen twice the lowest level. */
export function settingsOf(tokens: readonly string[]): string | null {
  const order = ['+', '', '-'];
  const signs = new Map<string, string>();
  for (const token of tokens) {
    const sign = /^[+-]/.exec(token)?.[0] ?? '';
    const name = token.slice(sign.length);
    const before = signs.get(name);
    if (before === undefined || order.indexOf(sign) < order.indexOf(before)) signs.set(name, sign);
  }
  const words = [...signs].map(([name, sign]) => `${sign}${name}`);
  return words.length === 0 ? null : words.join(',');
}

/** The logs of a run, each with what there is of it. */
export function recorded(logs: readonly LogCountInfo[]): LogRow[] {
  return logs.map(({ name, component, levels }) => ({
    label: name,
    token: name,
    description: [name === component ? '' : component, amount(levels[0])].filter(Boolean).join(' · '),
  }));
}

/** The levels at which some logs can be read, each with what it would print. */
export function levelsOf(logs: readonly LogCountInfo[], names: readonly string[]): LogRow[] {
  const chosen = logs.filter(({ name }) => names.length === 0 || names.includes(name));
  return LEVELS.slice(0, 4).flatMap((level) => {
    const at = chosen.flatMap(({ levels }) => levels.filter((one) => one.level === level));
    if (at.length === 0) return [];
    const records = at.reduce((sum, one) => sum + one.records, 0);
    const bytes = at.reduce((sum, one) => sum + one.bytes, 0);
    return [{ label: level, token: level, description: dotted(count(records, 'record'), size(bytes)) }];
  });
}

function amount(level: { records: number; size: string } | undefined): string {
  return level === undefined || level.records === 0
    ? l10n.t('nothing was logged')
    : dotted(count(level.records, 'record'), level.size);
}

/** `810 B`, `52.8 KB`, `1.2 MB`. */
export function size(bytes: number): string {
  if (bytes >= 1 << 20) return `${(bytes / (1 << 20)).toFixed(1)} MB`;
  return bytes >= 1 << 10 ? `${(bytes / (1 << 10)).toFixed(1)} KB` : `${bytes} B`;
}
