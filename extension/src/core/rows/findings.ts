/** Rows of the findings view. */
import type { FindingSummary } from '../../protocol.gen';
import { dotted, seconds } from '../text';
import type { Row } from './row';
import { ERROR, WARNING, lines, opening } from './row';

const FINDING_ICONS: Readonly<Record<string, { icon: string; color?: string }>> = {
  error: { icon: 'error', color: ERROR },
  warning: { icon: 'warning', color: WARNING },
  information: { icon: 'info' },
  hint: { icon: 'lightbulb' },
};

/** `isOnlyFile`: all findings of the run are in one file, so that it need not be named: a view has room for little. */
export function findingRow(
  recording: string,
  finding: FindingSummary,
  isOnlyFile: boolean,
  baseName: (file: string) => string,
): Row {
  const { file, line, character } = finding;
  const look = FINDING_ICONS[finding.severity] ?? { icon: 'info' };
  const place = file === null ? '' : isOnlyFile ? `:${line + 1}` : `${baseName(file)}:${line + 1}`;
  const cost = finding.costS > 0 && seconds(finding.costS);
  return {
    id: [recording, finding.rule, file ?? '', String(line), String(character), finding.title].join('\n'),
    label: finding.title,
    description: dotted(place, finding.count > 1 && `${finding.count} ×`, cost),
    tooltip: lines(
      finding.title,
      dotted(finding.rule, `${finding.count} ×`, cost),
      file === null ? '' : `${file}:${line + 1}`,
      finding.fileNote ?? '',
    ),
    icon: finding.rule.startsWith('recompile') ? 'refresh' : look.icon,
    ...(look.color === undefined ? {} : { color: look.color }),
    kind: 'finding',
    branch: false,
    ...(file === null ? {} : { command: opening(file, line, character) }),
  };
}
