/** The menu of the graph: copies and files of what is drawn. */
import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { icon } from '../shared/view';

export type Export = 'copyText' | 'copyDot' | 'text' | 'dot' | 'svg' | 'png';

const ITEMS: readonly (readonly [Export, string, string])[] = [
  ['copyText', l10n.t('Copy as text'), 'copy'],
  ['copyDot', l10n.t('Copy as DOT'), 'copy'],
  ['svg', l10n.t('Save as SVG…'), 'save'],
  ['png', l10n.t('Save as PNG…'), 'save'],
  ['dot', l10n.t('Save as DOT…'), 'save'],
  ['text', l10n.t('Save as text…'), 'save'],
];

export interface MenuActions {
  toggleMenu(open: boolean): void;
  export(what: Export): void;
}

export function menuView(isOpen: boolean, isEnabled: boolean, act: MenuActions): TemplateResult {
  const onKey = (event: KeyboardEvent): void => {
    const menu = event.currentTarget as HTMLElement;
    const items = [...menu.querySelectorAll<HTMLElement>('[role=menuitem]')];
    const at = items.indexOf(document.activeElement as HTMLElement);
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      event.stopPropagation();
      items[(at + step + items.length) % items.length]?.focus();
    } else if (event.key === 'Escape' || event.key === 'Tab') {
      event.stopPropagation();
      if (event.key === 'Escape') event.preventDefault();
      act.toggleMenu(false);
    }
  };
  return html`<span
    class="menu-place"
    @focusout=${(event: FocusEvent) => {
      const place = event.currentTarget as HTMLElement;
      if (!place.contains(event.relatedTarget as Node | null)) act.toggleMenu(false);
    }}
  >
    <button
      class="tb ic"
      id="menu-button"
      title=${l10n.t('Copy or save the graph')}
      aria-label=${l10n.t('Copy or save the graph')}
      aria-haspopup="menu"
      aria-expanded=${isOpen}
      ?disabled=${!isEnabled}
      @click=${() => act.toggleMenu(!isOpen)}
    >
      ${icon('ellipsis')}
    </button>
    ${
      isOpen
        ? html`<div class="menu" role="menu" aria-label=${l10n.t('Copy or save the graph')} @keydown=${onKey}>
            ${ITEMS.map(
              ([what, label, name], i) =>
                html`${i === 2 ? html`<div class="menu-rule" role="separator"></div>` : nothing}
                  <button role="menuitem" tabindex="-1" @click=${() => act.export(what)}>
                    ${icon(name)}${label}
                  </button>`,
            )}
          </div>`
        : nothing
    }
  </span>`;
}
