/** Colours and fonts of the editor's theme for drawing on a canvas. */

const NAMES = {
  background: 'editor-background',
  foreground: 'foreground',
  dim: 'descriptionForeground',
  border: 'widget-border',
  focus: 'focusBorder',
  badge: 'badge-background',
  badgeText: 'badge-foreground',
  match: 'editor-findMatchHighlightBackground',
  contrast: 'contrastBorder',
  contrastActive: 'contrastActiveBorder',
  error: 'errorForeground',
} as const;

const MARKS = [
  'blue',
  'green',
  'orange',
  'yellow',
  'purple',
  'red',
  'lines',
  'added',
  'removed',
  'changed',
  'heat1',
  'heat2',
  'heat3',
  'heat4',
] as const;

export type Theme = Record<keyof typeof NAMES | (typeof MARKS)[number], string> & {
  node: string;
  group: string;
  edge: string;
  highContrast: boolean;
  font: string;
  code: string;
};

/** Reads the theme from the page. The derived colours come from `base.css` through a probe element. */
export function readTheme(): Theme {
  const style = getComputedStyle(document.documentElement);
  const get = (name: string): string => style.getPropertyValue(`--vscode-${name}`).trim();
  const named = Object.fromEntries(Object.entries(NAMES).map(([key, name]) => [key, get(name)])) as Record<
    keyof typeof NAMES,
    string
  >;
  const probe = document.createElement('i');
  document.body.append(probe);
  const derived = (name: string): string => {
    probe.className = `probe probe-${name} mark-${name}`;
    return getComputedStyle(probe).backgroundColor;
  };
  const marks = Object.fromEntries(MARKS.map((name) => [name, derived(name)])) as Record<
    (typeof MARKS)[number],
    string
  >;
  const theme: Theme = {
    ...named,
    ...marks,
    node: derived('node'),
    group: derived('group'),
    edge: derived('edge'),
    border: named.border || derived('border'),
    highContrast: named.contrast !== '' && named.contrast !== 'transparent',
    font: get('font-family') || 'sans-serif',
    code: get('editor-font-family') || 'monospace',
  };
  probe.remove();
  return theme;
}

/** Calls `changed` when the editor's theme changes. Returns how to stop. */
export function watchTheme(changed: () => void): () => void {
  const observer = new MutationObserver(changed);
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ['style', 'class', 'data-theme'] });
  observer.observe(document.body, { attributes: true, attributeFilter: ['class', 'data-vscode-theme-id'] });
  return () => observer.disconnect();
}
