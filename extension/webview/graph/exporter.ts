/** Copies what is drawn, or has it saved. */
import * as l10n from '@vscode/l10n';
import type { MadeFile } from '../../src/shared/messages';
import type { Host } from '../shared/host';
import { readTheme } from '../shared/theme';
import { toDot, toSvg, toText } from './export';
import type { Export } from './menu';
import type { GraphSession } from './session';
import { coloursOf } from './view';

/** Canvases larger than this are refused by browsers. */
const MAX_PIXELS = 120_000_000;
const MAX_SIDE = 16_000;
const MARGIN = 16;

export class Exporter {
  readonly #host: Host;
  readonly #session: GraphSession;

  constructor(host: Host, session: GraphSession) {
    this.#host = host;
    this.#session = session;
  }

  async export(what: Export): Promise<void> {
    const { picture, ui, crumb, open } = this.#session;
    const { view, scene } = picture;
    if (!view || !scene) return;
    const { graph, tree } = view;
    const stage = (crumb?.key ?? 'graph').replace(/[^\w-]+/g, '-');
    const name = `${stage}-${(ui.compileId ?? '').replace(/\W+/g, '-')}`.replace(/-$/, '');
    const save = (end: string, content: string, encoding: MadeFile['encoding'] = 'utf8'): void => {
      this.#host.send({ type: 'saveFile', file: { name: `${name}.${end}`, content, encoding } });
    };
    if (what === 'copyText' || what === 'copyDot') {
      this.#host.send({ type: 'copy', text: what === 'copyText' ? toText(graph) : toDot(graph, tree, open) });
      this.#session.say(what === 'copyText' ? l10n.t('Copied as text.') : l10n.t('Copied as DOT.'));
    } else if (what === 'text') save('txt', toText(graph));
    else if (what === 'dot') save('dot', toDot(graph, tree, open));
    else if (what === 'svg') save('svg', toSvg(graph, scene, coloursOf(view, ui.colourBy), readTheme()));
    else {
      const image = await this.#png();
      if (image === null) this.#session.say(l10n.t('The picture is too large for PNG. SVG has no such limit.'));
      else save('png', image, 'base64');
    }
  }

  /** The whole drawing as PNG in base64; null when it is too large. */
  async #png(): Promise<string | null> {
    const { canvas, scene } = this.#session.picture;
    if (!canvas || !scene) return null;
    const [w, h] = [scene.w + 2 * MARGIN, scene.h + 2 * MARGIN];
    const scale = Math.min(2, MAX_SIDE / Math.max(w, h), Math.sqrt(MAX_PIXELS / (w * h)));
    if (scale < 0.1) return null;
    const image = document.createElement('canvas');
    image.width = Math.ceil(w * scale);
    image.height = Math.ceil(h * scale);
    const context = image.getContext('2d')!;
    context.fillStyle = canvas.background;
    context.fillRect(0, 0, image.width, image.height);
    context.setTransform(scale, 0, 0, scale, MARGIN * scale, MARGIN * scale);
    canvas.painted(context, Math.max(1, scale));
    const blob = await new Promise<Blob | null>((done) => image.toBlob(done, 'image/png'));
    if (!blob) return null;
    const bytes = new Uint8Array(await blob.arrayBuffer());
    let text = '';
    for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
    return btoa(text);
  }
}
