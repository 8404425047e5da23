/** The graph as files: Graphviz, SVG and text. What is drawn is what goes out: filters and open groups included. */
import type { Theme } from '../shared/theme';
import { type Colouring, markColour } from './colours';
import { type Child, type Group, type Tree } from './groups';
import { shorten, titleOf } from './labels';
import { type Graph, neighbours } from './model';
import { countText, type Scene } from './scene';

/** A string of Graphviz. */
const dotText = (text: string): string => `"${text.replace(/[\\"]/g, '\\$&').replace(/\n/g, '\\n')}"`;

/** The drawn boxes and edges as Graphviz reads them, open groups as clusters. */
export function toDot(graph: Graph, tree: Tree, open: ReadonlySet<string>): string {
  const lines = ['digraph {', '  rankdir=TB;', '  node [shape=box, fontname="monospace", fontsize=10];'];
  const standIns = new Map<number, string>();
  const walk = (group: Group, indent: string): void => {
    group.children.forEach((child: Child) => {
      if (typeof child === 'number') {
        const id = dotText(`n${child}`);
        standIns.set(child, id);
        const change = graph.change?.states[child] ?? 'same';
        const style = change === 'removed' ? ', style=dashed, color=red' : change === 'added' ? ', color=green' : '';
        const more = change === 'changed' ? ', color=orange' : style;
        const label = [titleOf(graph, child), graph.data.targets[child], graph.types[child]].filter(Boolean).join('\n');
        lines.push(`${indent}${id} [label=${dotText(label)}${more}];`);
      } else if (open.has(child.id)) {
        lines.push(`${indent}subgraph ${dotText(`cluster_${child.id}`)} {`);
        lines.push(`${indent}  label=${dotText(child.title)};`);
        walk(child, `${indent}  `);
        lines.push(`${indent}}`);
      } else {
        const id = dotText(`g${child.id}`);
        for (const node of child.nodes) standIns.set(node, id);
        lines.push(`${indent}${id} [label=${dotText(`${child.title}\n${countText(child)}`)}, style=bold];`);
      }
    });
  };
  walk(tree.root, '  ');
  const seen = new Set<string>();
  for (let i = 0; i < graph.size; i++) {
    for (const j of neighbours(graph.inputs, i)) {
      const edge = `  ${standIns.get(j) ?? '""'} -> ${standIns.get(i) ?? '""'};`;
      if (standIns.get(j) === standIns.get(i) || seen.has(edge)) continue;
      seen.add(edge);
      lines.push(edge);
    }
  }
  return `${[...lines, '}'].join('\n')}\n`;
}

const ESCAPES: Partial<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
/** Text of a recording inside XML, without characters that XML has not. */
const xml = (text: string): string => Array.from(text, (c) => ESCAPES[c] ?? (isXml(c) ? c : '\ufffd')).join('');
const isXml = (c: string): boolean => (c >= ' ' ? c !== '\ufffe' && c !== '\uffff' : '\t\n\r'.includes(c));
const round = (value: number): string => String(Math.round(value * 10) / 10);

/** The drawing as a picture that can be scaled, in the colours of the theme. */
export function toSvg(graph: Graph, scene: Scene, colours: Colouring, theme: Theme): string {
  const [w, h] = [Math.ceil(scene.w + 32), Math.ceil(scene.h + 32)];
  const out = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-16 -16 ${w} ${h}" width="${w}" height="${h}" font-family="sans-serif" font-size="11.5">`,
    `<rect x="-16" y="-16" width="${w}" height="${h}" fill="${xml(theme.background)}"/>`,
  ];
  for (const box of scene.boxes) {
    if (box.kind !== 'frame') continue;
    out.push(
      rect(box, theme.group, theme.border),
      text(box.x + 12, box.y + 16, box.group!.title, theme.foreground, 700),
    );
  }
  for (const path of scene.paths) {
    const points: string[] = [];
    for (let p = 0; p < path.points.length; p += 2)
      points.push(`${round(path.points[p])},${round(path.points[p + 1])}`);
    const colour = path.change === 'added' ? theme.added : path.change === 'removed' ? theme.removed : theme.edge;
    const dash = path.thin || path.change === 'removed' ? ' stroke-dasharray="4 3"' : '';
    out.push(`<polyline points="${points.join(' ')}" fill="none" stroke="${xml(colour)}"${dash}/>`);
  }
  for (const box of scene.boxes) {
    if (box.kind === 'frame') continue;
    const node = typeof box.id === 'number' ? box.id : null;
    const change = node === null ? 'same' : (graph.change?.states[node] ?? 'same');
    const stroke = change === 'same' ? theme.border : theme[change];
    out.push(rect(box, theme.node, stroke, change === 'removed'));
    if (node === null) {
      out.push(text(box.x + 12, box.y + 18, box.group!.title, theme.foreground, 700));
      out.push(text(box.x + box.w - 9, box.y + 18, countText(box.group!), theme.dim, 400, 'end'));
      continue;
    }
    const mark = markColour(theme, colours.marks[node]);
    if (mark !== null)
      out.push(
        `<rect x="${round(box.x + 1)}" y="${round(box.y + 1)}" width="3" height="${box.h - 2}" fill="${xml(mark)}"/>`,
      );
    const type = graph.types[node];
    const room = Math.max(4, Math.floor((box.w - 24 - type.length * 6.4) / 7));
    out.push(text(box.x + 11, box.y + 17, shorten(titleOf(graph, node), room), theme.foreground));
    if (type !== '') out.push(text(box.x + box.w - 9, box.y + 17, type, theme.dim, 400, 'end'));
  }
  return `${[...out, '</svg>'].join('\n')}\n`;
}

function rect(
  { x, y, w, h }: { x: number; y: number; w: number; h: number },
  fill: string,
  stroke: string,
  dashed = false,
): string {
  const dash = dashed ? ' stroke-dasharray="4.5 3"' : '';
  return `<rect x="${round(x)}" y="${round(y)}" width="${round(w)}" height="${round(h)}" rx="4" fill="${xml(fill)}" stroke="${xml(stroke)}"${dash}/>`;
}

function text(x: number, y: number, content: string, fill: string, weight = 400, anchor = 'start'): string {
  return `<text x="${round(x)}" y="${round(y)}" fill="${xml(fill)}" font-weight="${weight}" text-anchor="${anchor}">${xml(content)}</text>`;
}

const SIGNS = { added: '+ ', removed: '- ', changed: '~ ', same: '  ' } as const;

/** One node a line, as it is called; of a comparison with what became of it in front. */
export function toText(graph: Graph): string {
  const { names, targets, args, code } = graph.data;
  const lines = names.map((name, i) => {
    const sign = graph.change ? SIGNS[graph.change.states[i]] : '';
    const type = graph.types[i] === '' ? '' : `: ${graph.types[i]}`;
    const line = code[i].trim();
    const flat = `${sign}${name}${type} = ${targets[i]}${args[i]}${line === '' ? '' : `  # ${line}`}`;
    return flat.replace(/\s*\n\s*/g, ' ');
  });
  return `${lines.join('\n')}\n`;
}
