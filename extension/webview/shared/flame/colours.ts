/** The colours of a flame chart from the page's theme. */
import { readTheme } from '../theme';
import type { Colours } from './paint';

/** Colours by the class names of `stages`, which `flame.css` gives their colour. */
export function readColours(stages: readonly string[]): Colours {
  const theme = readTheme();
  const probe = document.createElement('i');
  document.body.append(probe);
  const colour = (name: string): string => {
    probe.className = `probe ${name}`;
    return getComputedStyle(probe).backgroundColor;
  };
  const colours: Colours = {
    background: theme.background,
    foreground: theme.foreground,
    dim: theme.dim,
    line: colour('probe-line'),
    focus: theme.focus,
    mark: colour('stage stage-guard'),
    stripes: stages.map((stage) => colour(`stage stage-${stage}`)),
    fills: stages.map((stage) => colour(`stage-fill stage-${stage}`)),
    outline: theme.highContrast ? theme.contrast : null,
    active: theme.highContrast ? theme.contrastActive || theme.focus : theme.focus,
    font: theme.font,
  };
  probe.remove();
  return colours;
}
