/** Below the table: the function's lines with what failed on them, and the selected version's card. */
import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { CauseInfo, GuardPlace, RecompileTable, VersionInfo } from '../../src/shared/messages';
import { coded, pythonLine } from '../shared/coded';
import { baseName, count, duration, many } from '../shared/format';
import { changeText, shortValue } from './model';
import type { RecompileSession } from './session';

export interface DetailEvents {
  select(version: VersionInfo): void;
  place(place: { file: string; line: number; column?: number; endLine?: number; endColumn?: number }): void;
  graph(version: VersionInfo): void;
}

/** Torch's words on a guard may be long; so many lines of them are shown. */
const MOST_WORDS = 4;

export function source(session: RecompileSession, events: DetailEvents): TemplateResult {
  const { table, selected } = session;
  const text = table?.source ?? null;
  if (table === null) return html``;
  return html`<section class="source" aria-label=${l10n.t('Source')}>
    <h2>${l10n.t('Source')} <span class="clip" title=${table.file}>${baseName(table.file)}</span></h2>
    ${
      text === null
        ? html`<p class="dim empty">${l10n.t('The text of this function is not in the recording.')}</p>`
        : html`<div class="lines" role="list" tabindex="0" aria-label=${l10n.t('Lines of {0}', table.function)}>
            ${text.lines.map((line, at) => sourceLine(table, text.line + at, line, selected, events))}
            ${callLine(table, selected, text.line, text.line + text.lines.length, events)}
          </div>`
    }
  </section>`;
}

function sourceLine(
  table: RecompileTable,
  number: number,
  line: string,
  selected: VersionInfo | null,
  events: DetailEvents,
): TemplateResult {
  const here = table.versions.filter(
    ({ cause }) => cause?.place?.line === number - 1 && cause.place.file === table.file,
  );
  const own = selected?.cause?.place;
  const hit = own?.line === number - 1 && own.file === table.file;
  const marked = hit && own.endLine === own.line ? own : null;
  return html`<div class="code-line ${hit ? 'hit' : ''}" role="listitem">
    <button
      class="link no num"
      tabindex="-1"
      aria-label=${l10n.t('Go to line {0}', number)}
      @click=${() => events.place({ file: table.file, line: number - 1 })}
    >
      ${number}
    </button>
    <span class="code mono">${pythonLine(line, marked?.column, marked?.endColumn)}</span>
    ${marks(here, selected, events)}
  </div>`;
}

/** What failed on a line: the selected version's, else the first, and how many more. */
function marks(
  here: readonly VersionInfo[],
  selected: VersionInfo | null,
  events: DetailEvents,
): TemplateResult | typeof nothing {
  const first = here.find((one) => one === selected) ?? here.at(0);
  if (first === undefined || first.cause === null) return nothing;
  const all = here.map(({ id, cause }) => `${id} ${cause === null ? '' : changeText(cause)}`).join('\n');
  const more = here.length > 1 ? ` +${here.length - 1}` : '';
  return html`<button class="mark clip" title=${all} @click=${() => events.select(first)}>
    ${first.id} ${changeText(first.cause)}${more}
  </button>`;
}

/** The call that made the selected version, where it is not among the function's lines. */
function callLine(
  table: RecompileTable,
  selected: VersionInfo | null,
  first: number,
  end: number,
  events: DetailEvents,
): TemplateResult | typeof nothing {
  const caller = selected?.cause?.caller ?? null;
  if (selected === null || caller === null) return nothing;
  const number = caller.line + 1;
  if (caller.file === table.file && number >= first && number < end) return nothing;
  const made =
    caller.file === table.file
      ? l10n.t('compiled {0}', selected.id)
      : l10n.t('{0} compiled {1}', baseName(caller.file), selected.id);
  return html`<div class="code-line gap" role="listitem"><span class="no">⋯</span></div>
    <div class="code-line call" role="listitem">
      <button
        class="link no num"
        tabindex="-1"
        aria-label=${l10n.t('Go to line {0} of {1}', number, caller.file)}
        @click=${() => events.place(caller)}
      >
        ${number}
      </button>
      <span class="code mono">${pythonLine(caller.text ?? '')}</span>
      <span class="mark plain">${made}</span>
    </div>`;
}

export function card(session: RecompileSession, events: DetailEvents): TemplateResult {
  const { table, selected } = session;
  if (table === null || selected === null) return html``;
  const at = table.versions.indexOf(selected) + 1;
  const { cause } = selected;
  return html`<section class="card" aria-label=${l10n.t('Selected version')} tabindex="0">
    <h2>
      ${cause === null ? l10n.t('Version {0}', selected.id) : l10n.t('Recompile {0}', selected.id)}
      <span class="num">${l10n.t('{0} of {1}', at, table.versions.length)}</span>
    </h2>
    ${cause === null ? firstVersion(table, selected, events) : recompile(table, selected, cause, events)}
  </section>`;
}

function firstVersion(table: RecompileTable, version: VersionInfo, events: DetailEvents): TemplateResult {
  return html`<div class="card-body">
    <h3 class="what">
      ${version.id.endsWith('/0') ? l10n.t('Compiled at the first call') : l10n.t('Why it was made is not recorded')}
    </h3>
    <dl>
      <dt>${l10n.t('Cost')}</dt>
      <dd>${costText(version)}</dd>
      ${
        version.guards === null
          ? nothing
          : html`<dt>${l10n.t('Guards')}</dt>
              <dd>${guardsText(version.guards, version.guardS)}</dd>`
      }
    </dl>
    <div class="buttons">
      <vscode-button @click=${() => events.place({ file: table.file, line: table.line - 1 })}
        >${l10n.t('Go to line {0}', table.line)}</vscode-button
      >
      <vscode-button secondary @click=${() => events.graph(version)}
        >${l10n.t('Graph of {0}', version.id)}</vscode-button
      >
    </div>
  </div>`;
}

const guardsText = (guards: number, seconds: number | null): string =>
  seconds === null ? count(guards) : l10n.t('{0}, {1} a look-up', count(guards), duration(seconds));

function costText(version: VersionInfo): string {
  const { calls, seconds } = version;
  if (calls === null) return duration(seconds);
  return l10n.t('{0}, then served {1}', duration(seconds), many(calls, 'call'));
}

function recompile(
  table: RecompileTable,
  version: VersionInfo,
  cause: CauseInfo,
  events: DetailEvents,
): TemplateResult {
  const { place, caller } = cause;
  const known = cause.old !== null || cause.new !== null;
  return html`<div class="card-body">
    <h3 class="what">
      <code>${cause.about}</code>${
        known
          ? html`: <code>${shortValue(cause.old ?? '?')}</code> → <code>${shortValue(cause.new ?? '?')}</code>`
          : nothing
      }
    </h3>
    <dl>
      <dt>${l10n.t('Guard')}</dt>
      <dd class="mono">
        ${cause.guard}
        ${cause.version === '' ? nothing : html`<span class="dim">${l10n.t('of {0}', cause.version)}</span>`}
      </dd>
      ${
        place === null
          ? nothing
          : html`<dt>${l10n.t('Made at')}</dt>
              <dd>${link(place, table.file, events)}</dd>`
      }
      ${
        caller === null
          ? nothing
          : html`<dt>${l10n.t('Called')}</dt>
              <dd>${link(caller, table.file, events)}</dd>`
      }
      ${
        cause.also.length === 0
          ? nothing
          : html`<dt>${l10n.t('Also')}</dt>
              <dd>
                ${cause.also
                  .slice(0, 4)
                  .map(
                    (one) =>
                      html`<div>
                        <span class="mono">${one.version}</span> ${l10n.t('failed on')} <code>${one.about}</code>${
                          one.old === null && one.new === null
                            ? nothing
                            : html`: ${shortValue(one.old ?? '?')} → ${shortValue(one.new ?? '?')}`
                        }
                      </div>`,
                  )}
                ${cause.also.length > 4 ? html`<div class="dim">${l10n.t('and {0} more', cause.also.length - 4)}</div>` : nothing}
              </dd>`
      }
      <dt>${l10n.t('Cost')}</dt>
      <dd class="num">${costText(version)}</dd>
    </dl>
    ${advice(cause)}
    <pre class="words" title=${cause.words}>${wordsOf(cause)}</pre>
    <div class="buttons">
      ${
        place === null
          ? nothing
          : html`<vscode-button @click=${() => events.place(place)}
              >${l10n.t('Go to line {0}', place.line + 1)}</vscode-button
            >`
      }
      <vscode-button secondary @click=${() => events.graph(version)}
        >${l10n.t('Graph of {0}', version.id)}</vscode-button
      >
    </div>
  </div>`;
}

function wordsOf({ words }: CauseInfo): string {
  const lines = words.split('\n');
  const shown = lines.slice(0, MOST_WORDS).map((line) => line.replace(/ {3,}/g, '  '));
  return shown.join('\n') + (lines.length > MOST_WORDS ? '\n…' : '');
}

function advice(cause: CauseInfo): TemplateResult {
  return html`${cause.explanation === '' ? nothing : html`<p class="why">${coded(cause.explanation)}</p>`}
  ${
    cause.write === ''
      ? nothing
      : html`<p class="write"><b>${l10n.t('Write instead')}</b></p>
          <pre class="mono">${cause.write}</pre>`
  }
  ${cause.note === '' ? nothing : html`<p class="dim">${coded(cause.note)}</p>`}
  ${
    cause.hints.length === 0
      ? nothing
      : html`<ul class="hints">
          ${cause.hints.slice(0, 3).map((hint) => html`<li>${coded(hint)}</li>`)}
        </ul>`
  }
  ${cause.fix === null ? nothing : html`<p class="write"><b>${l10n.t('Quick fix on that line')}</b> ${coded(cause.fix)}</p>`}`;
}

function link(place: GuardPlace, own: string, events: DetailEvents): TemplateResult {
  const where = place.file === own ? l10n.t('line {0}', place.line + 1) : `${baseName(place.file)}:${place.line + 1}`;
  return html`<button class="link" title="${place.file}:${place.line + 1}" @click=${() => events.place(place)}>
      ${where}
    </button>
    ${place.text === null ? nothing : html`<span class="mono">${place.text}</span>`}`;
}
