/** What the code panel shows, and what follows from it. */
import type { CodeKernelInfo, CodeResult, CodeTextInfo, SourcePlace, Target } from '../../src/shared/messages';
import { nowhere } from '../../src/shared/messages';
import { placeOfGroup } from './queries';
import type { Tab, UiState } from './state';
import { textOf } from './tabs';

export class ShownCode {
  result: CodeResult | null = null;
  /** Group under the mouse. */
  hovered: number | null = null;

  constructor(public ui: UiState) {}

  get tab(): Tab {
    return this.ui.tab ?? 'cpp';
  }

  /** The text that the kernels are of. */
  get text(): CodeTextInfo | null {
    return this.result === null ? null : textOf(this.result, this.tab);
  }

  get kernels(): readonly CodeKernelInfo[] {
    return this.text?.kernels ?? [];
  }

  get kernel(): CodeKernelInfo | null {
    return this.kernels[this.ui.kernel ?? -1] ?? null;
  }

  /** Position of the file in the first column. */
  get file(): number {
    return this.result?.files.findIndex(({ path }) => path === this.ui.file) ?? -1;
  }

  /** The group that is marked: the hovered one, else the selected one. */
  get hot(): number | null {
    return this.hovered ?? this.ui.group;
  }

  /** The place of the selected group in the source. */
  get place(): SourcePlace | null {
    return placeOfGroup(this.result, this.ui.group);
  }

  get selection(): Target | null {
    const { recording, compileId, node } = this.ui;
    if (recording === null) return null;
    const name = this.result?.nodes[node ?? -1]?.name ?? null;
    return { ...nowhere(recording), compileId, node: name, kernel: this.kernel?.name ?? null, source: this.place };
  }
}
