/** Right side of the pass panel: the selected pass and what it changed. */
import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { PassInfo } from '../../src/shared/messages';
import { errorText, stepName } from '../../src/shared/steps';
import { baseName, count, duration, many, percent, signed } from '../shared/format';
import { icon } from '../shared/view';
import { type Diff, MAX_LINES } from './diff';
import { matchesView } from './matches';
import { deltaOf, type PassModel, type Phase } from './model';
import { hasTime, isPass, isUnrun, isUnseen } from './steps';

/** The preview: still loading, a diff, or the reason why there is none. */
export type Preview = { state: 'loading' } | { state: 'diff'; diff: Diff } | { state: 'none'; reason: string };

export interface DetailsActions {
  diff(pass: PassInfo): void;
  graph(pass: PassInfo): void;
  source(pass: PassInfo): void;
  place(file: string, line: number): void;
}

const PASS_REASONS = {
  failed: l10n.t('This pass failed before it changed the graph.'),
  unchanged: l10n.t('This pass did not change the graph.'),
  missing: l10n.t('The graph before and after this pass was not recorded.'),
};

const STEP_REASONS: typeof PASS_REASONS = {
  failed: l10n.t('This step failed before it changed the graph.'),
  unchanged: l10n.t('This step did not change the graph.'),
  missing: l10n.t('The graph before and after this step was not recorded.'),
};

export const UNSEEN = l10n.t(
  'Whether this pass changed the graph is not recorded: a log of torch alone has the time of each pass only.',
);

/** Why a pass has no text diff; null when it has one. */
export function noDiffReason(pass: PassInfo): string | null {
  if (pass.before !== null && pass.after !== null && pass.before !== pass.after) return null;
  if (isUnrun(pass)) return l10n.t('This pass never ran. {0}', pass.message ?? '').trim();
  const reasons = isPass(pass) ? PASS_REASONS : STEP_REASONS;
  if (isUnseen(pass)) return UNSEEN;
  if (pass.changed) return reasons.missing;
  return pass.error === null ? reasons.unchanged : reasons.failed;
}

const SIGNS = { same: '', added: '+', removed: '−', hunk: '' } as const;

function previewView(preview: Preview, pass: PassInfo, act: DetailsActions): TemplateResult {
  if (preview.state === 'loading') return html`<div class="preview-note dim">${l10n.t('Comparing…')}</div>`;
  if (preview.state === 'none')
    return html`<div class="preview-note dim">${icon('circle-slash')} ${preview.reason}</div>`;
  const { lines, rest } = preview.diff;
  return html`<div
    class="preview mono"
    tabindex="0"
    role="region"
    aria-label=${l10n.t('Changes of {0}', stepName(pass))}
  >
    <div class="preview-lines">
      ${lines.map(
        (line) =>
          html`<div class="line is-${line.kind}">
            <span class="no">${line.before ?? ''}</span><span class="no">${line.after ?? ''}</span
            ><span class="sign">${SIGNS[line.kind]}</span
            ><span class="text">${line.kind === 'hunk' ? html`<span class="dim">${line.text}</span>` : line.text}</span>
          </div>`,
      )}
      ${
        rest > 0
          ? html`<div class="preview-more">
              <span class="dim">${l10n.t('{0} more after the first {1}.', many(rest, 'line'), MAX_LINES)}</span>
              <button class="link" @click=${() => act.diff(pass)}>${l10n.t('Open in diff editor')}</button>
            </div>`
          : nothing
      }
    </div>
  </div>`;
}

function fact(name: string, value: TemplateResult | string): TemplateResult {
  return html`<div class="fact">
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div>`;
}

export function passDetails(
  pass: PassInfo,
  phase: Phase,
  model: PassModel,
  preview: Preview,
  act: DetailsActions,
): TemplateResult {
  const reason = noDiffReason(pass);
  const nodes = pass.nodesBefore !== null && pass.nodesAfter !== null ? pass.nodesBefore - pass.nodesAfter : null;
  const edges = pass.edgesBefore !== null && pass.edgesAfter !== null ? pass.edgesBefore - pass.edgesAfter : null;
  const delta = deltaOf(pass);
  const diff = preview.state === 'diff' ? preview.diff : null;
  return html`<div class="bar detail-head">
      <div>
        <h2 class=${isPass(pass) || isUnrun(pass) ? 'mono' : ''}>${stepName(pass)}</h2>
        <div class="dim clip">${whichText(pass, phase, model)}</div>
      </div>
      <vscode-button
        secondary
        ?disabled=${pass.after === null && pass.before === null}
        title=${l10n.t('Show in graph (G)')}
        @click=${() => act.graph(pass)}
      >
        ${l10n.t('Show in graph')}
      </vscode-button>
      <vscode-button
        ?disabled=${reason !== null}
        title=${reason ?? l10n.t('Open in diff editor (Enter)')}
        @click=${() => act.diff(pass)}
      >
        ${l10n.t('Open in diff editor')}
      </vscode-button>
    </div>
    <dl class="facts num">
      ${!hasTime(pass) ? nothing : fact(l10n.t('Time'), html`${duration(pass.seconds)}${model.seconds > 0 && isPass(pass) ? html` <span class="dim">${l10n.t('{0} of pass time', percent(pass.seconds / model.seconds))}</span>` : nothing}`)}
      ${pass.source === null ? nothing : fact(l10n.t('Graph'), `${pass.source} → ${pass.graph}`)}
      ${pass.nodesBefore === null || pass.nodesAfter === null ? nothing : fact(l10n.t('Nodes'), html`${count(pass.nodesBefore)} → ${count(pass.nodesAfter)}`)}
      ${pass.edgesBefore === null || pass.edgesAfter === null ? nothing : fact(l10n.t('Edges'), html`${count(pass.edgesBefore)} → ${count(pass.edgesAfter)}`)}
      ${
        delta === null || nodes === null || edges === null
          ? nothing
          : fact(
              'Δ',
              html`<span title=${l10n.t('Δ = (|V1| − |V2|) + (|E1| − |E2|); positive: the graph shrank')}
                >${signed(delta)}
                <span class="dim"
                  >= ${signed(nodes).replace('+', '')} ${edges < 0 ? '−' : '+'} ${Math.abs(edges)}</span
                ></span
              >`,
            )
      }
      ${diff ? fact(l10n.t('Lines'), html`<span class="added">+${count(diff.added)}</span> <span class="removed">−${count(diff.removed)}</span>`) : nothing}
      ${
        pass.function === null
          ? nothing
          : fact(
              l10n.t('Function'),
              pass.file === null
                ? html`<span class="mono">${pass.function}</span>`
                : html`<button class="link mono" title=${pass.file} @click=${() => act.source(pass)}>
                      ${pass.function}
                    </button>
                    <span class="dim">${baseName(pass.file)}${pass.line === null ? '' : `:${pass.line}`}</span>`,
            )
      }
      ${pass.slot === null ? nothing : fact(l10n.t('Slot'), html`<span class="mono">${pass.slot}</span>`)}
    </dl>
    ${pass.error === null ? nothing : html`<div class="failure" role="alert">${icon('error')}<span class="mono">${errorText(pass)}</span></div>`}
    ${matchesView(model.matches.get(pass.order) ?? [], (file, line) => act.place(file, line))}
    ${previewView(reason === null ? preview : { state: 'none', reason }, pass, act)}`;
}

/** `joint · pass 3 of 60`; a step that is no pass says what it is. */
function whichText(pass: PassInfo, phase: Phase, model: PassModel): string {
  if (isUnrun(pass)) return l10n.t('registered, never ran');
  const what = isPass(pass)
    ? l10n.t('pass {0} of {1}', model.passes.indexOf(pass) + 1, model.passes.length)
    : pass.kind === 'gap'
      ? l10n.t('no pass and no phase was seen to do this')
      : l10n.t('a phase of the compiler');
  return `${phase.label.toLowerCase()} · ${what}`;
}

export function phaseDetails(phase: Phase, model: PassModel): TemplateResult {
  const slow = [...phase.passes]
    .filter((pass) => isPass(pass) && pass.depth === 0)
    .sort((a, b) => b.seconds - a.seconds)
    .slice(0, 5);
  const passes = phase.passes.filter(isPass);
  const unrun = phase.passes.filter(isUnrun).length;
  const share = phase.passSeconds > 0 ? l10n.t('{0} of pass time', percent(phase.passSeconds / model.seconds)) : '';
  const changed = phase.passes.filter((pass) => pass.changed).length;
  const what = passes.length > 0 ? many(passes.length, 'pass') : many(phase.passes.length, 'step');
  return html`<div class="bar detail-head">
      <div>
        <h2>${phase.label}</h2>
        <div class="dim clip">
          ${unrun > 0 ? many(unrun, 'pass') : phase.passes.every(isUnseen) ? what : l10n.t('{0}, {1} changed the graph', what, changed)}
        </div>
      </div>
    </div>
    ${
      unrun > 0
        ? html`<div class="preview-note dim">
            ${icon('circle-slash')} ${l10n.t('The program registered these passes, and the compiler did not run them.')}
          </div>`
        : html`<dl class="facts num">
            ${fact(l10n.t('Time'), html`${duration(phase.seconds)} <span class="dim">${share}</span>`)}
            ${slow.map((pass) => fact(stepName(pass), duration(pass.seconds)))}
          </dl>`
    }`;
}

export function noPassSelected(): TemplateResult {
  return html`<div class="preview-note dim">
    ${icon('list-selection')} ${l10n.t('Select a pass to see what it changed.')}
  </div>`;
}
