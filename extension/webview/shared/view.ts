/** Pieces that both panels show: icons, empty and error pages, the overlay with all keys. */
import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { CompileInfo, PanelAction, Problem } from '../../src/shared/messages';

/** A codicon. Decorative: the control around it has the name. */
export const icon = (name: string): TemplateResult => html`<i class="codicon codicon-${name}" aria-hidden="true"></i>`;

export interface Way {
  label: string;
  action?: PanelAction;
  command?: string;
}

export interface Message {
  icon: string;
  title: string;
  detail?: string;
  ways?: Way[];
  /** Below the buttons. */
  more?: TemplateResult;
}

/** A page in place of the content: what is the case, why, and the buttons that lead on. */
export function messagePage(message: Message, go: (way: Way) => void): TemplateResult {
  return html`<div class="page" role="status">
    ${icon(message.icon)}
    <h2>${message.title}</h2>
    ${message.detail ? html`<p>${message.detail}</p>` : nothing}
    <div class="page-ways">
      ${(message.ways ?? []).map(
        (way, i) => html`<vscode-button ?secondary=${i > 0} @click=${() => go(way)}>${way.label}</vscode-button>`,
      )}
    </div>
    ${message.more ?? nothing}
  </div>`;
}

/** Button texts of commands that a problem may name. */
const COMMANDS: Partial<Record<string, string>> = {
  'compilescope.trace': l10n.t('Trace'),
  'compilescope.changeInputs': l10n.t('Change inputs'),
  'compilescope.cancel': l10n.t('Cancel'),
  'compilescope.showOutput': l10n.t('Show output'),
  'compilescope.showLogs': l10n.t('Show logs'),
  'compilescope.showLastStep': l10n.t('Show last step'),
  'compilescope.restart': l10n.t('Restart'),
  'compilescope.selectInterpreter': l10n.t('Select interpreter'),
  'compilescope.openRecording': l10n.t('Open recording'),
  'compilescope.locateRecording': l10n.t('Locate…'),
  'compilescope.copyInstallCommand': l10n.t('Copy install command'),
  'compilescope.openSettings': l10n.t('Open settings'),
  'workbench.trust.manage': l10n.t('Manage'),
};

/** One that is not known by its own name. */
function commandLabel(command: string): string {
  const words = command.slice(command.lastIndexOf('.') + 1).replace(/([a-z])([A-Z])/g, '$1 $2');
  return COMMANDS[command] ?? words.charAt(0).toUpperCase() + words.slice(1).toLowerCase();
}

export function problemPage(problem: Problem, go: (way: Way) => void): TemplateResult {
  const ways: Way[] = problem.actions.map((command) => ({ label: commandLabel(command), command }));
  ways.push({ label: l10n.t('Show output'), action: 'showOutput' });
  return messagePage({ icon: 'error', title: problem.title, detail: problem.detail, ways }, go);
}

export const NOTHING_RECORDED: Message = {
  icon: 'pulse',
  title: l10n.t('No recording yet'),
  detail: l10n.t('Run a Python file with Compilescope, and its graphs and passes appear here.'),
  ways: [
    { label: l10n.t('Compile and trace'), action: 'trace' },
    { label: l10n.t('Open recording'), action: 'openRecording' },
  ],
};

/** Keys by group, for the overlay. */
export type KeyTable = readonly (readonly [title: string, keys: readonly (readonly [keys: string, what: string])[]])[];

export const keyCaps = (keys: string): TemplateResult[] => keys.split(' ').map((key) => html`<kbd>${key}</kbd>`);

export function keysOverlay(table: KeyTable, close: () => void): TemplateResult {
  return html`<div class="overlay" @click=${close}>
    <div
      class="overlay-box"
      role="dialog"
      aria-modal="true"
      aria-label=${l10n.t('All keys')}
      tabindex="-1"
      @click=${(event: Event) => event.stopPropagation()}
    >
      <div class="overlay-head">
        <h2>${l10n.t('All keys')}</h2>
        <button class="tb ic" title=${l10n.t('Close (Esc)')} aria-label=${l10n.t('Close')} @click=${close}>
          ${icon('close')}
        </button>
      </div>
      <div class="overlay-columns">
        ${table.map(
          ([title, keys]) =>
            html`<section>
              <h3>${title}</h3>
              ${keys.map(([key, what]) => html`<div class="key-row"><span>${keyCaps(key)}</span><span>${what}</span></div>`)}
            </section>`,
        )}
      </div>
    </div>
  </div>`;
}

/** Name of a compile's function; its title may start with the id. */
export function compileName({ id, title }: CompileInfo): string {
  return title.startsWith(id) ? title.slice(id.length).trim() : title;
}

/** `GPT.forward [0/0]` */
function compileTitle(compile: CompileInfo): string {
  const name = compileName(compile);
  return name === '' ? compile.id : `${name} [${compile.id}]`;
}

/** The way to what a compile has not, for what a recording says is the cause; none where tracing again is of no use. */
export function waysOut(cause: string | null | undefined): Way[] {
  if (cause === 'capture' || cause === 'foreign')
    return [{ label: l10n.t('Trace at full depth'), action: 'traceFull' }];
  if (cause === 'cache') return [{ label: l10n.t('Trace without caches'), action: 'traceWithoutCaches' }];
  if (cause === 'failed') return [{ label: l10n.t('Show output'), action: 'showOutput' }];
  return [];
}

/** Picker of a compile; a filter box comes with it when there are many. */
export function compilePicker(
  compiles: readonly CompileInfo[],
  chosen: string | null,
  pick: (id: string) => void,
): TemplateResult {
  return html`<vscode-single-select
    class="compile"
    label=${l10n.t('Compile')}
    title=${l10n.t('Compile')}
    ?combobox=${compiles.length > 12}
    .value=${chosen ?? ''}
    @change=${(event: Event) => pick((event.target as HTMLSelectElement).value)}
  >
    ${compiles.map(
      (compile) =>
        html`<vscode-option value=${compile.id} ?selected=${compile.id === chosen}
          >${compileTitle(compile)}</vscode-option
        >`,
    )}
  </vscode-single-select>`;
}

/** Whether the editor is worked with a screen reader: it says so to its webviews. */
export const isHeard = (): boolean => document.body.classList.contains('vscode-using-screen-reader');

/** True for a key event that a text field or select should keep. */
export function isTyping(event: KeyboardEvent): boolean {
  const target = event.composedPath()[0];
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) || target.role === 'combobox')
  );
}
