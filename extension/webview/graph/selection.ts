/** The selection by name, so that it survives another stage, and where the keys lead from it. */
import * as l10n from '@vscode/l10n';
import { many } from '../shared/format';
import type { Group } from './groups';
import { type ListRow, rowId } from './list';
import { neighbours } from './model';
import type { Id, Picture } from './picture';
import type { UiState } from './state';
import type { GraphView } from './view';
import { type Direction, nextBox } from './walk';

/** What is selected in a view; a group that is not there falls back to the nearest around it. */
export function selectedIn(view: GraphView | null, { node, group }: UiState): Id | null {
  if (!view) return null;
  if (node !== null) return view.graph.byName.get(node) ?? null;
  for (let id = group ?? ''; id !== ''; id = id.slice(0, Math.max(0, id.lastIndexOf('/')))) {
    if (view.tree.groups.has(id)) return id;
  }
  return null;
}

/** The selection, when it was drawn in the picture before under the same id: it keeps its place. */
export function staying(before: GraphView | null, now: GraphView, selected: Id | null): Id | null {
  if (typeof selected !== 'number' || !before) return before ? selected : null;
  return before.graph.byName.get(now.graph.data.names[selected]) === selected ? selected : null;
}

/** What a screen reader says of the selection. */
export function spoken(view: GraphView, id: Id): string {
  if (typeof id === 'string') {
    const group = view.tree.groups.get(id);
    return group ? `${group.title}, ${group.kind || l10n.t('group')}, ${many(group.nodes.length, 'node')}` : '';
  }
  const { names, targets } = view.graph.data;
  const ins = many(neighbours(view.graph.inputs, id).length, 'input');
  const outs = many(neighbours(view.graph.users, id).length, 'user');
  return [names[id], targets[id], view.graph.types[id], ins, outs].filter(Boolean).join(', ');
}

/** What an arrow key does: select something, or open or close a group. */
export type Step = { select: Id } | { open: string } | { close: string } | null;

function parentOf(view: GraphView, id: Id): Step {
  const parent: Group | null | undefined =
    typeof id === 'number' ? view.tree.home[id] : view.tree.groups.get(id)?.parent;
  return parent?.parent ? { select: parent.id } : null;
}

export function stepInGraph({ view, scene }: Picture, selected: Id | null, direction: Direction): Step {
  if (!view || !scene) return null;
  const at = selected === null ? undefined : scene.at.get(selected);
  if (selected === null || at === undefined) {
    const first = scene.boxes.at(0);
    return first ? { select: first.id } : null;
  }
  const box = scene.boxes[at];
  if (typeof box.id === 'string') {
    if (box.kind === 'closed' && direction === 'right') return { open: box.id };
    if (box.kind === 'frame' && direction === 'left') return { close: box.id };
    if (box.kind === 'frame' && direction === 'down') {
      const first = box.group?.children.at(0);
      if (first !== undefined) return { select: typeof first === 'number' ? first : first.id };
    }
  }
  const next = nextBox(view.graph, view.tree, scene, selected, direction);
  if (next !== null) return { select: next };
  return direction === 'left' || direction === 'up' ? parentOf(view, selected) : null;
}

export function stepInList(
  view: GraphView,
  rows: readonly ListRow[],
  open: ReadonlySet<string>,
  selected: Id | null,
  direction: Direction,
): Step {
  const at = rows.findIndex((row) => rowId(row.child) === selected);
  const child = rows.at(at)?.child;
  if (direction === 'up' || direction === 'down') {
    const next = at < 0 ? rows.at(0) : direction === 'down' ? rows.at(at + 1) : at > 0 ? rows.at(at - 1) : undefined;
    return next ? { select: rowId(next.child) } : null;
  }
  if (at < 0 || child === undefined) return null;
  if (typeof child !== 'number') {
    if (direction === 'right' && !open.has(child.id)) return { open: child.id };
    if (direction === 'left' && open.has(child.id)) return { close: child.id };
  }
  return direction === 'left' ? parentOf(view, rowId(child)) : null;
}
