/** Styles set one by one on an element: unlike a `style` attribute, a strict content security policy allows that. */
import { noChange } from 'lit';
import { directive, Directive, type ElementPart, type PartInfo, PartType } from 'lit/directive.js';

class Styles extends Directive {
  constructor(part: PartInfo) {
    super(part);
    if (part.type !== PartType.ELEMENT) throw new Error('styles() stands on an element');
  }

  override render(_values: Readonly<Record<string, string>>): symbol {
    return noChange;
  }

  override update(part: ElementPart, [values]: [Readonly<Record<string, string>>]): symbol {
    const { style } = part.element as HTMLElement;
    for (const [name, value] of Object.entries(values)) style.setProperty(name, value);
    return noChange;
  }
}

/** `<div ${styles({ top: '4px' })}>`; names as in CSS. */
export const styles = directive(Styles);
