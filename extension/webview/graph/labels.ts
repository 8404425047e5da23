/** Texts inside boxes, cut to the room that there is. */
import * as l10n from '@vscode/l10n';
import type { Graph } from './model';

/** What a box is called: a kernel call by its kernel's name, anything else by its node's. */
export function titleOf(graph: Graph, node: number): string {
  const kernel = graph.isSchedule ? graph.data.kernel.at(node)?.at(0) : undefined;
  return kernel === undefined ? graph.data.names[node] : graph.data.kernels[kernel].name;
}

/** The place of a kernel among the calls, from 1; empty for what is no call. */
export function callNumber(graph: Graph, node: number): string {
  const kernel = graph.data.kernel.at(node)?.at(0);
  if (kernel !== undefined) return String(kernel + 1);
  return graph.data.kernels.length === 0 ? String(node + 1) : '';
}

/** What a kernel is, in a word or two. */
export function kernelNote(graph: Graph, node: number): string {
  const kind = graph.data.kinds[node];
  if (kind === 'fallback') return l10n.t('fallback');
  if (kind === 'extern') return l10n.t('library call');
  const ops = graph.data.origins[node].length;
  return ops > 1 ? l10n.t('{0} ops fused', ops) : ops === 1 ? l10n.t('{0} op', 1) : '';
}

/** At most `keep` characters, cut in the middle. */
export function shorten(text: string, keep: number): string {
  if (text.length <= keep) return text;
  if (keep < 3) return keep < 1 ? '' : '…';
  const tail = Math.min(8, Math.floor((keep - 1) / 3));
  return `${text.slice(0, keep - 1 - tail)}…${text.slice(text.length - tail)}`;
}

/** A type in the room that is left: whole, without its dimensions, or not at all. */
export function fitType(text: string, room: number, charWidth: number): string {
  if (text.length * charWidth <= room) return text;
  const at = text.indexOf('[');
  const short = at > 0 ? `${text.slice(0, at)}[…]` : '';
  return short !== '' && short.length * charWidth <= room ? short : '';
}
