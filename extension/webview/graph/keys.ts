/** Keys of the graph panel. */
import type { KeyTable } from '../shared/view';
import { isTyping } from '../shared/view';
import type { Direction } from './walk';

export interface KeyActions {
  walk(direction: Direction): void;
  enter(): void;
  find(): void;
  stage(step: 1 | -1): void;
  hops(): void;
  line(): void;
  zoom(factor: number): void;
  fit(): void;
  toggleView(): void;
  escape(): void;
  keys(): void;
  edge(end: 'first' | 'last'): void;
}

export const KEY_TABLE: KeyTable = [
  [
    'Move',
    [
      ['↑ ↓', 'along edges'],
      ['← →', 'beside; close or open a group'],
      ['Home End', 'first, last node'],
      ['Enter', 'go to source; open a group'],
      ['Esc', 'back out one step'],
    ],
  ],
  [
    'Find and filter',
    [
      ['F', 'find'],
      ['Enter', 'next match, in the search field'],
      ['K', 'neighbours of the selection; again: one step more'],
      ['L', 'nodes of the line at the editor cursor'],
    ],
  ],
  [
    'View',
    [
      ['[ ]', 'previous, next stage'],
      ['+ -', 'zoom'],
      ['0', 'whole graph'],
      ['Alt L', 'graph or list'],
      ['?', 'all keys'],
    ],
  ],
];

const ARROWS: Partial<Record<string, Direction>> = {
  ArrowUp: 'up',
  ArrowDown: 'down',
  ArrowLeft: 'left',
  ArrowRight: 'right',
};

/** Keys that work while the drawing or the list has the focus. */
function single(key: string, act: KeyActions): boolean {
  const arrow = ARROWS[key];
  if (arrow) act.walk(arrow);
  else if (key === 'Enter') act.enter();
  else if (key === 'Home') act.edge('first');
  else if (key === 'End') act.edge('last');
  else if (key === 'f' || key === 'F' || key === '/') act.find();
  else if (key === '[') act.stage(-1);
  else if (key === ']') act.stage(1);
  else if (key === 'k' || key === 'K') act.hops();
  else if (key === 'l' || key === 'L') act.line();
  else if (key === '+' || key === '=') act.zoom(1.25);
  else if (key === '-') act.zoom(0.8);
  else if (key === '0') act.fit();
  else if (key === '?') act.keys();
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
  if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === '?') {
    act.keys();
    return;
  }
  if (inside && single(event.key, act)) event.preventDefault();
}
