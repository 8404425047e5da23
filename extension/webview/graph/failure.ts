/** Above the graph of a compile that failed: what failed, in torch's own words, and the ways to it. */
import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { FailureInfo, SourcePlace } from '../../src/shared/messages';
import { icon } from '../shared/view';

export interface FailureActions {
  node(name: string): void;
  source(place: SourcePlace): void;
}

/** `suspect`: the node that is to blame is in the graph that is shown. */
export function failureBanner(failure: FailureInfo, suspect: boolean, act: FailureActions): TemplateResult {
  const { file, line, character, node, reason, title } = failure;
  const words = reason.split('\n')[0];
  return html`<div class="failure" role="status">
    ${icon('error')}
    <div>
      <b>${title.replaceAll('`', '')}</b>
      <span class="words" title=${reason}>${words}</span>
    </div>
    ${
      suspect && node !== null
        ? html`<button class="tb" @click=${() => act.node(node)}>${l10n.t('Show {0}', node)}</button>`
        : nothing
    }
    ${
      file === null
        ? nothing
        : html`<button
            class="tb"
            @click=${() => act.source({ file, line, column: character, endLine: -1, endColumn: -1 })}
          >
            ${l10n.t('Open error')}
          </button>`
    }
  </div>`;
}
