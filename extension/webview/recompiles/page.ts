/** The whole page of the recompile panel as a function of the session. */
import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { FunctionChoice, RecompileTable, VersionInfo } from '../../src/shared/messages';
import { baseName, count, duration, many } from '../shared/format';
import type { LongList } from '../shared/list';
import { styles } from '../shared/styles';
import {
  icon,
  keyCaps,
  keysOverlay,
  type KeyTable,
  messagePage,
  NOTHING_RECORDED,
  problemPage,
  type Way,
} from '../shared/view';
import { card, type DetailEvents, source } from './details';
import { FEW, MANY_VERSIONS } from './model';
import type { RecompileSession } from './session';
import { dimensions, guardTree, type SideEvents } from './side';
import { table, type TableEvents } from './table';

export const KEY_TABLE: KeyTable = [
  [
    l10n.t('Move'),
    [
      ['← →', l10n.t('version')],
      ['↑ ↓', l10n.t('guard')],
      ['N', l10n.t('next failure')],
      ['Home End', l10n.t('first, last version')],
      ['Esc', l10n.t('back')],
    ],
  ],
  [
    l10n.t('Look'),
    [
      ['Enter', l10n.t('go to source')],
      ['C', l10n.t('compare graphs of two versions')],
      ['G', l10n.t('graph of the version')],
      ['A', l10n.t('all guards')],
      ['?', l10n.t('all keys')],
    ],
  ],
];

const FOOT_KEYS: readonly (readonly [string, string])[] = [
  ['← →', l10n.t('version')],
  ['↑ ↓', l10n.t('guard')],
  ['N', l10n.t('next failure')],
  ['Enter', l10n.t('go to source')],
  ['C', l10n.t('compare')],
];

/** Up to so many versions the limit is drawn as boxes. */
const MOST_BOXES = 16;
/** From this share of a limit on, the meter warns. */
const NEAR = 0.75;

export interface PageActions {
  readonly table: TableEvents;
  readonly details: DetailEvents;
  readonly side: SideEvents;
  readonly go: (way: Way) => void;
  pick(compileId: string): void;
  fewer(): void;
  cluster(): void;
  compare(): void;
  copy(): void;
  showKeys(): void;
  escape(): void;
}

/** The page in place of everything; null when there is a function to show. */
function instead(session: RecompileSession, act: PageActions): TemplateResult | null {
  if (session.noRecording) return messagePage(NOTHING_RECORDED, act.go);
  if (session.problem) return problemPage(session.problem, act.go);
  if (!session.result) return html`<div class="page" role="status"><p>${l10n.t('Loading the recording…')}</p></div>`;
  if (session.table !== null) return null;
  if (session.running)
    return messagePage(
      { icon: 'sync', title: l10n.t('Nothing compiled yet'), detail: l10n.t('Versions appear as they are made.') },
      act.go,
    );
  return messagePage(
    {
      icon: 'circle-slash',
      title: l10n.t('Nothing was compiled in this run'),
      detail: l10n.t('Without a compiled function there are no guards, and nothing is compiled again.'),
      ways: [{ label: l10n.t('Compile and trace'), action: 'trace' }],
    },
    act.go,
  );
}

/** `rank 1 · GPT.forward · gpt.py:12` */
function titleOf({ function: name, file, line, resumed, rank }: FunctionChoice): string {
  const title =
    resumed === null
      ? `${name} · ${baseName(file)}:${line}`
      : l10n.t('{0} · {1}:{2}, after a break', name, baseName(file), line);
  return rank == null ? title : `${l10n.t('rank {0}', rank)} · ${title}`;
}

function toolbar(session: RecompileSession, act: PageActions): TemplateResult {
  const { table: shown, result, ui, other, selected } = session;
  if (shown === null || result === null) return html``;
  const versions = shown.versions.length;
  return html`<header class="bar toolbar">
    <vscode-single-select
      class="compile"
      label=${l10n.t('Function')}
      title=${l10n.t('Function, the dearest first')}
      ?combobox=${result.functions.length > 12}
      .value=${shown.compileId}
      @change=${(event: Event) => act.pick((event.target as HTMLSelectElement).value)}
    >
      ${result.functions.map(
        (one) =>
          html`<vscode-option
            value=${one.compileId}
            description="${many(one.versions, 'version')}, ${duration(one.costS)}"
            ?selected=${one.compileId === shown.compileId}
            >${titleOf(one)}</vscode-option
          >`,
      )}
    </vscode-single-select>
    <span class="badge num">${many(versions, 'version')}</span>
    <span class="badge num">${many(shown.recompiles, 'recompile')}</span>
    ${
      versions < 2
        ? nothing
        : html`<button
            class="tb"
            aria-pressed=${ui.fewer}
            title=${l10n.t('Show all guards (A)')}
            @click=${() => act.fewer()}
          >
            ${l10n.t('Only guards that failed + {0}', FEW)}
          </button>`
    }
    ${
      versions > MANY_VERSIONS
        ? html`<button
            class="tb"
            aria-pressed=${ui.clustered}
            title=${l10n.t('Versions that one guard made stand together')}
            @click=${() => act.cluster()}
          >
            ${l10n.t('Cluster by guard')}
          </button>`
        : nothing
    }
    <span class="grow"></span>
    ${
      other === null || selected === null
        ? nothing
        : html`<button
            class="tb solid"
            title=${l10n.t('Compare the graphs of two versions (C)')}
            @click=${() => act.compare()}
          >
            ${l10n.t('Compare {0} ↔ {1} graphs', other.id, selected.id)}
          </button>`
    }
    <button class="tb solid" @click=${() => act.copy()}>${l10n.t('Copy as Markdown')}</button>
  </header>`;
}

function price(shown: RecompileTable): TemplateResult {
  const { calls, guardS, recompileS, recompiles } = shown;
  const known = guardS !== null && calls !== null;
  return html`<section class="bar price" aria-label=${l10n.t('Price')}>
    <span class="total" title=${l10n.t('C: what checking guards in all calls and compiling again took')}
      ><b class="num">${duration(recompileS + (guardS ?? 0))}</b> <small>${l10n.t('price C')}</small></span
    >
    <span class="dim">C =</span>
    ${
      known
        ? html`<span
            class="part guard-part num"
            title=${l10n.t('Guards of each version, as torch timed one look-up, times its calls')}
            >${l10n.t('guard')} <b>${duration(calls > 0 ? guardS / calls : 0)}</b> ×
            <b>${count(calls)}</b> ${calls === 1 ? l10n.t('call') : l10n.t('calls')} = ${duration(guardS)}</span
          >`
        : html`<span class="part guard-part dim" title=${shown.noCalls ?? ''}
            >${l10n.t('guard × calls: not recorded')}</span
          >`
    }
    <span class="dim">+</span>
    <span class="part recompile-part num"
      >${
        recompiles === 0
          ? l10n.t('no recompile')
          : html`${l10n.t('recompile')} <b>${duration(recompileS / recompiles)}</b> × <b>${count(recompiles)}</b> =
              ${duration(recompileS)}`
      }</span
    >
    <span class="grow"></span>
    ${limit(shown)}
  </section>`;
}

function limit({ limit: known }: RecompileTable): TemplateResult | typeof nothing {
  if (known === null) return nothing;
  const { name, used, most } = known;
  const state = used >= most ? 'full' : used >= most * NEAR ? 'near' : 'free';
  return html`<span class="limit ${state}" title=${l10n.t("Versions that count against torch's {0}", name)}>
    ${
      most <= MOST_BOXES
        ? html`<span class="boxes" aria-hidden="true"
            >${Array.from({ length: most }, (_, at) => html`<i class=${at < used ? 'used' : ''}></i>`)}</span
          >`
        : html`<span class="meter" aria-hidden="true"
            ><i ${styles({ '--share': String(Math.min(1, used / most)) })}></i
          ></span>`
    }
    <span class="clip"><b class="num">${l10n.t('{0} of {1}', count(used), count(most))}</b> ${limitText(known)}</span>
  </span>`;
}

function limitText({ name, used, most, refused }: NonNullable<RecompileTable['limit']>): string {
  if (refused === 1) return l10n.t('{0}: one compile was refused, those calls run in eager', name);
  if (refused > 1) return l10n.t('{0}: {1} compiles were refused, those calls run in eager', name, count(refused));
  return used >= most ? l10n.t('{0}: the next version runs in eager', name) : name;
}

/** One version: nothing to compare, and that is good. */
function good({ table: shown }: RecompileSession, act: PageActions): TemplateResult {
  const version = shown?.versions.at(0);
  if (version === undefined) return html``;
  if (version.status !== 'ok')
    return messagePage(
      { icon: 'info', title: l10n.t('One version, {0}', version.status), detail: l10n.t('No recompile.') },
      act.go,
    );
  const one =
    version.guardS === null
      ? l10n.t('One version, no recompile.')
      : l10n.t('One version, no recompile. Guards cost {0} a call.', duration(version.guardS));
  return html`<div class="page good" role="status">
    ${icon('pass')}
    <h2>${one}</h2>
    <p>${noneFailed(version)}</p>
  </div>`;
}

function noneFailed({ guards, calls }: VersionInfo): string {
  const in_ = calls === null ? null : many(calls, 'call');
  if (guards === null) return in_ === null ? l10n.t('No guard failed.') : l10n.t('No guard failed in {0}.', in_);
  const all = many(guards, 'guard');
  return in_ === null ? l10n.t('{0}, and none failed.', all) : l10n.t('{0}, and none failed in {1}.', all, in_);
}

function body(
  session: RecompileSession,
  tree: LongList,
  scroller: HTMLElement | null,
  act: PageActions,
): TemplateResult {
  const one = session.table?.versions.length === 1;
  return html`<div class="left">
      ${one ? good(session, act) : table(session, scroller, act.table)}
      <div class="bottom">${source(session, act.details)}${one ? nothing : card(session, act.details)}</div>
    </div>
    <aside class="side" aria-label=${l10n.t('Guards and dynamic dimensions')}>
      ${guardTree(session, tree, act.side)}${dimensions(session, act.side)}
    </aside>`;
}

function status({ table: shown, running }: RecompileSession): string {
  if (shown === null) return '';
  if (running) return l10n.t('Recording…');
  const most = Math.max(0, ...shown.versions.map(({ guards }) => guards ?? 0));
  const versions = many(shown.versions.length, 'version');
  const order = shown.versions.length > 1 ? ` · ${l10n.t('guards are tried newest hit first')}` : '';
  return `${most > 0 ? `${many(most, 'guard')} · ` : ''}${versions}${order}`;
}

export function page(
  session: RecompileSession,
  tree: LongList,
  scroller: HTMLElement | null,
  keysShown: boolean,
  act: PageActions,
): TemplateResult {
  const other = instead(session, act);
  return html`${other === null ? toolbar(session, act) : nothing}
    ${session.loading ? html`<div class="progress" role="progressbar" aria-label=${l10n.t('Loading')}></div>` : nothing}
    ${other === null && session.table !== null ? price(session.table) : nothing}
    <main>
      <h1 class="hidden-text">${l10n.t('Recompiles')}</h1>
      ${other ?? body(session, tree, scroller, act)}
    </main>
    ${
      other === null
        ? html`<footer class="bar foot">
            <span class="clip">${status(session)}</span>
            <span class="grow"></span>
            <span class="keys">${FOOT_KEYS.map(([key, what]) => html`<span>${keyCaps(key)} ${what}</span>`)}</span>
            <button @click=${() => act.showKeys()}><kbd>?</kbd> ${l10n.t('all keys')}</button>
          </footer>`
        : nothing
    }
    <div class="hidden-text" role="status" aria-live="polite">${session.announced}</div>
    ${keysShown ? keysOverlay(KEY_TABLE, () => act.escape()) : nothing}`;
}
