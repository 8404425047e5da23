/** Keys of the graph panel. */
import * as l10n from '@vscode/l10n';
import type { KeyTable } from '../shared/view';
import { isTyping } from '../shared/view';
import type { Side } from './state';
import type { Direction } from './walk';

export interface KeyActions {
  walk(direction: Direction): void;
  enter(): void;
  find(): void;
  stage(step: 1 | -1): void;
  pass(step: 1 | -1): void;
  diff(): void;
  side(side: Side): void;
  change(step: 1 | -1): void;
  changed(): void;
  hops(): void;
  path(): void;
  line(): void;
  code(): void;
  zoom(factor: number): void;
  fit(): void;
  toggleView(): void;
  escape(): void;
  keys(): void;
  edge(end: 'first' | 'last'): void;
}

export const KEY_TABLE: KeyTable = [
  [
    l10n.t('Move'),
    [
      ['↑ ↓', l10n.t('along edges')],
      ['← →', l10n.t('beside; close or open a group')],
      ['Home End', l10n.t('first, last node')],
      ['Enter', l10n.t('go to source; open a group')],
      ['Esc', l10n.t('back out one step')],
    ],
  ],
  [
    l10n.t('Find and filter'),
    [
      ['F', l10n.t('find')],
      ['Enter', l10n.t('next match, in the search field')],
      ['C', l10n.t('changed only')],
      ['K', l10n.t('neighbours of the selection; again: one step more')],
      ['P', l10n.t('path from here; again: to here')],
      ['L', l10n.t('nodes of the line at the editor cursor')],
    ],
  ],
  [
    l10n.t('Compare'),
    [
      ['D', l10n.t('before and after')],
      ['F7', l10n.t('next change')],
      ['Shift F7', l10n.t('previous change')],
      ['1 2 3', l10n.t('overlay, before, after')],
      [', .', l10n.t('previous, next pass')],
    ],
  ],
  [
    l10n.t('View'),
    [
      ['[ ]', l10n.t('previous, next stage')],
      ['G', l10n.t('generated code')],
      ['+ -', l10n.t('zoom')],
      ['0', l10n.t('whole graph')],
      ['Alt L', l10n.t('graph or list')],
      ['?', l10n.t('all keys')],
    ],
  ],
];

const ARROWS: Partial<Record<string, Direction>> = {
  ArrowUp: 'up',
  ArrowDown: 'down',
  ArrowLeft: 'left',
  ArrowRight: 'right',
};

const SIDES: Partial<Record<string, Side>> = { '1': 'overlay', '2': 'before', '3': 'after' };

/** Letters, by what they do. */
const LETTERS: Partial<Record<string, (act: KeyActions) => void>> = {
  f: (act) => act.find(),
  '/': (act) => act.find(),
  '[': (act) => act.stage(-1),
  ']': (act) => act.stage(1),
  ',': (act) => act.pass(-1),
  '.': (act) => act.pass(1),
  d: (act) => act.diff(),
  c: (act) => act.changed(),
  k: (act) => act.hops(),
  p: (act) => act.path(),
  l: (act) => act.line(),
  g: (act) => act.code(),
  '+': (act) => act.zoom(1.25),
  '=': (act) => act.zoom(1.25),
  '-': (act) => act.zoom(0.8),
  '0': (act) => act.fit(),
};

/** Keys that work while the drawing or the list has the focus. */
function single(key: string, act: KeyActions): boolean {
  const arrow = ARROWS[key];
  const side = SIDES[key];
  const letter = LETTERS[key.toLowerCase()];
  if (arrow) act.walk(arrow);
  else if (side) act.side(side);
  else if (letter) letter(act);
  else if (key === 'Enter') act.enter();
  else if (key === 'Home') act.edge('first');
  else if (key === 'End') act.edge('last');
  else return false;
  return true;
}

/** Handles a key; `inside`: the drawing or the list, or nothing, has the focus. */
export function handleKey(event: KeyboardEvent, inside: boolean, act: KeyActions): void {
  if (event.altKey && event.code === 'KeyL') {
    event.preventDefault();
    act.toggleView();
    return;
  }
  if (event.key === 'Escape') {
    act.escape();
    return;
  }
  if (event.key === 'F7' && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    act.change(event.shiftKey ? -1 : 1);
    return;
  }
  if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === '?') {
    act.keys();
    return;
  }
  if (inside && single(event.key, act)) event.preventDefault();
}
