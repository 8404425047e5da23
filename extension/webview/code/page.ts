/** The whole page of the code panel as a function of the session. */
import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { styles } from '../shared/styles';
import {
  icon,
  keyCaps,
  type KeyTable,
  keysOverlay,
  messagePage,
  NOTHING_RECORDED,
  problemPage,
  waysOut,
  type Way,
} from '../shared/view';
import type { PageActions } from './actions';
import { colour, letter } from './groups';
import { GUTTER, gutter } from './gutter';
import { codeHead, graphHead, sourceHead } from './heads';
import { CODE_LEAST, layout, LEAST } from './room';
import type { CodeSession } from './session';
import { isStage } from './tabs';
import { toolbar } from './toolbar';
import { columnView } from './view';

export const KEY_TABLE: KeyTable = [
  [
    l10n.t('Move'),
    [
      ['↑ ↓', l10n.t('group')],
      ['[ ]', l10n.t('kernel')],
      ['1 – 6', l10n.t('tab of the code')],
      ['Tab', l10n.t('column')],
      ['Esc', l10n.t('back')],
    ],
  ],
  [
    l10n.t('Look'),
    [
      ['Enter', l10n.t('go to the source')],
      ['F', l10n.t('follow the cursor')],
      ['Alt Z', l10n.t('wrap lines')],
      ['G', l10n.t('show in graph')],
      ['Shift F10', l10n.t('menu of the row')],
      ['/', l10n.t('find in the code')],
      ['?', l10n.t('all keys')],
    ],
  ],
];

const FOOT_KEYS: readonly (readonly [string, string])[] = [
  ['↑ ↓', l10n.t('group')],
  ['[ ]', l10n.t('kernel')],
  ['1 – 6', l10n.t('code')],
  ['Enter', l10n.t('go to source')],
];

const MOST_IN_LEGEND = 10;

/** The page in place of the columns; null when there is code. */
function instead(session: CodeSession, act: PageActions): TemplateResult | null {
  const go = (way: Way): void => act.go(way);
  if (session.noRecording) return messagePage(NOTHING_RECORDED, go);
  if (session.problem) return problemPage(session.problem, go);
  if (!session.result)
    return html`<div class="skeleton" role="status" aria-label=${l10n.t('Loading the code')}>
      <i></i><i></i><i></i>
    </div>`;
  if (session.result.texts.length > 0) return null;
  if (session.running)
    return messagePage(
      { icon: 'sync', title: l10n.t('No code yet'), detail: l10n.t('It appears when a graph is compiled.') },
      go,
    );
  const { note, cause, compiles } = session.result;
  const ways: Way[] = [...waysOut(cause)];
  if (compiles.length === 0) ways.push({ label: l10n.t('Compile and trace'), action: 'trace' });
  return messagePage(
    {
      icon: cause === 'eager' ? 'circle-slash' : 'code',
      title: l10n.t('No generated code'),
      detail: (note ?? '').replace(/^No generated code: (\w)/, (_, first: string) => first.toUpperCase()),
      ways,
    },
    go,
  );
}

function notes({ kernel }: CodeSession): TemplateResult | typeof nothing {
  const hint = kernel?.hints[0];
  if (!kernel?.fused && hint === undefined) return nothing;
  return html`<div class="notes">
    ${
      kernel?.fused
        ? html`<div class="note why">
            ${icon('git-merge')}
            <p><b>${l10n.t('Fused because')}</b> ${kernel.fused}</p>
          </div>`
        : nothing
    }
    ${
      hint === undefined
        ? nothing
        : html`<div class="note hint">
            ${icon('lightbulb')}
            <p><b>${l10n.t('Perf hint')}</b> ${hint}</p>
          </div>`
    }
  </div>`;
}

function legend(session: CodeSession): TemplateResult {
  const all = session.result?.expressions ?? [];
  const groups = [...(session.kernel?.expressions ?? [])].sort((a, b) => a - b).slice(0, MOST_IN_LEGEND);
  return html`<div class="legend" role="group" aria-label=${l10n.t('Expressions in this kernel')}>
    ${groups.map(
      (group) =>
        html`<button
          class="${colour(group)} ${group === session.ui.group ? 'chosen' : ''}"
          title=${all[group].text}
          @mouseenter=${() => session.hover(group)}
          @mouseleave=${() => session.hover(null)}
          @click=${() => session.chooseGroup(group)}
        >
          <i></i>${letter(group)} <span class="clip">${all[group].text}</span>
        </button>`,
    )}
  </div>`;
}

function columnsView(session: CodeSession, act: PageActions): TemplateResult {
  const width = window.innerWidth;
  const { source, graph, codeShown } = layout(session, width);
  const split = (label: string, size: number, key: 'sourceWidth' | 'graphWidth'): Parameters<typeof gutter>[3] => ({
    label,
    width: size,
    least: LEAST,
    most: Math.max(LEAST, width - GUTTER * 2 - CODE_LEAST - (key === 'sourceWidth' ? graph : source)),
    right: false,
    set: (next) => session.set({ [key]: next }),
  });
  const ofSource = split(l10n.t('Width of the source'), source, 'sourceWidth');
  const ofGraph = split(l10n.t('Width of the graph'), graph, 'graphWidth');
  return html`<div class="grid" ${styles({ '--source': `${source}px`, '--graph': `${graph}px` })}>
    ${
      source > 0
        ? html`${sourcePart(session)}${gutter(session, 'source', graph > 0 ? 'graph' : 'code', ofSource)}`
        : nothing
    }
    ${graph > 0 ? graphPart(session) : nothing}
    ${graph > 0 && codeShown ? gutter(session, 'graph', 'code', ofGraph) : nothing}
    ${codeShown ? codePart(session, act) : nothing}
  </div>`;
}

function sourcePart(session: CodeSession): TemplateResult {
  return html`<section class="part source-part" aria-label=${l10n.t('Source')}>
    ${sourceHead(session)}
    ${
      session.columns.source.rows.length > 0
        ? columnView(session, 'source', l10n.t('Source'))
        : html`<div class="page small"><p>${l10n.t('The text of the source is not in the recording.')}</p></div>`
    }
  </section>`;
}

function graphPart(session: CodeSession): TemplateResult {
  return html`<section class="part graph-part" aria-label=${l10n.t('Graph')}>
    ${graphHead(session)}
    ${
      session.columns.graph.rows.length > 0
        ? columnView(session, 'graph', l10n.t('Nodes of the graph'))
        : html`<div class="page small"><p>${session.result?.note ?? l10n.t('This graph is not recorded.')}</p></div>`
    }
  </section>`;
}

function codePart(session: CodeSession, act: PageActions): TemplateResult {
  const stageMissing = isStage(session.tab) && session.stage === null;
  return html`<section class="part code-part" aria-label=${l10n.t('Generated code')}>
    ${codeHead(session, act)}
    ${
      session.columns.code.rows.length > 0
        ? columnView(session, 'code', l10n.t('Generated code'))
        : html`<div class="page small" role="status">
            <p>${stageMissing ? l10n.t('Loading…') : l10n.t('Nothing here.')}</p>
          </div>`
    }
  </section>`;
}

export function page(session: CodeSession, keysShown: boolean, act: PageActions): TemplateResult {
  const other = instead(session, act);
  const note = session.running ? l10n.t('Recording…') : (session.result?.note ?? '');
  return html`${session.result && !session.noRecording ? toolbar(session, act) : nothing}
    ${session.loading ? html`<div class="progress" role="progressbar" aria-label=${l10n.t('Loading')}></div>` : nothing}
    <main>
      <h1 class="hidden-text">${l10n.t('Generated code')}</h1>
      ${other === null ? notes(session) : nothing} ${other ?? columnsView(session, act)}
    </main>
    ${
      other === null
        ? html`<footer class="bar foot">
            ${legend(session)}
            <span class="grow clip" title=${session.moved || note}
              >${session.moved === '' ? note : html`${icon('arrow-swap')} <b>${session.moved}</b>`}</span
            >
            <span class="keys">${FOOT_KEYS.map(([key, what]) => html`<span>${keyCaps(key)} ${what}</span>`)}</span>
            <button @click=${() => act.showKeys()}><kbd>?</kbd> ${l10n.t('all keys')}</button>
          </footer>`
        : nothing
    }
    <div class="hidden-text" role="status" aria-live="polite">${session.announced}</div>
    <span class="probe mono" id="character" aria-hidden="true">${'0'.repeat(100)}</span>
    ${keysShown ? keysOverlay(KEY_TABLE, () => act.escape()) : nothing}`;
}
