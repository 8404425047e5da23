/** What is said of the box or the edge under the pointer. */
import { titleOf } from './labels';
import type { Id } from './picture';
import type { Path } from './scene';
import type { GraphView } from './view';

const MOST = 300;

export function hoverText({ graph, tree }: GraphView, id: Id | null, path: Path | null): string {
  const { targets, code } = graph.data;
  const name = (end: Id | null): string => {
    if (end === null) return '…';
    return typeof end === 'number' ? titleOf(graph, end) : (tree.groups.get(end)?.title ?? '…');
  };
  const lines =
    typeof id === 'number'
      ? [titleOf(graph, id), targets[id], graph.types[id], code[id].trim()]
      : id === null && path
        ? [
            `${name(path.ends[0])} → ${name(path.ends[1])}`,
            typeof path.ends[0] === 'number' ? graph.types[path.ends[0]] : '',
          ]
        : [];
  return lines
    .filter(Boolean)
    .map((line) => (line.length > MOST ? `${line.slice(0, MOST)}…` : line))
    .join('\n');
}
