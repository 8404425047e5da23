/** Comparing two states of a graph: which, from one pass to the next, and from one change to the next. */
import * as l10n from '@vscode/l10n';
import type { PassInfo } from '../../src/shared/messages';
import { changedPasses, type Pair } from './diff';
import { chain } from './groups';
import type { GraphSession } from './session';
import { UNFILTERED } from './state';

export class Comparison {
  readonly #session: GraphSession;

  constructor(session: GraphSession) {
    this.#session = session;
  }

  /** Compares two states. */
  async compare(diff: Pair): Promise<void> {
    const isFirst = this.#session.ui.diff === null;
    const change = isFirst ? { changedOnly: true, side: 'overlay' as const, ...UNFILTERED } : { openFiltered: null };
    this.#session.set({ ...change, diff });
    await this.#session.openStage();
  }

  /** Compares the states before and after the passes of this stage; says why when there is nothing to compare. */
  async compareStage(): Promise<void> {
    const { crumb } = this.#session;
    if (!crumb) return;
    const { before, after } = crumb;
    if (crumb.key === 'scheduler')
      this.#session.say(l10n.t('The scheduler fuses nodes, so there is no node to compare with another.'));
    else if (!before?.snapshot || !after?.snapshot)
      this.#session.say(l10n.t('{0} has one state, and nothing to compare.', crumb.label));
    else if (before.snapshot === after.snapshot)
      this.#session.say(l10n.t('No pass of {0} changed the graph.', crumb.label));
    else await this.compare({ before: before.snapshot, after: after.snapshot, pass: null });
  }

  async closeDiff(): Promise<void> {
    this.#session.set({ diff: null, changedOnly: false, side: 'overlay', ...UNFILTERED });
    if (this.#session.ui.colourBy === 'change') this.#session.set({ colourBy: 'kind' });
    await this.#session.openStage();
  }

  /** Compares the states around a pass; false when they are not recorded. */
  async openPass(order: number): Promise<boolean> {
    const { recording, compileId } = this.#session.ui;
    if (recording === null) return false;
    await this.#session.data.loadPasses(recording, compileId);
    const pass = this.#session.data.passes.find((one) => one.order === order);
    const isKnown = pass && changedPasses(this.#session.data.passes, pass.graph).includes(pass);
    if (!isKnown || pass.before === null || pass.after === null) return false;
    const stage = pass.phase === 'inductor' ? 'post_grad' : pass.phase;
    this.#session.set({ stage, direction: pass.graph.slice(pass.graph.lastIndexOf('/') + 1) });
    await this.compare({ before: pass.before, after: pass.after, pass: order });
    return true;
  }

  /** The passes of the graph that is compared, or of the stage that is shown, which changed it. */
  get changedPasses(): PassInfo[] {
    const { diff } = this.#session.ui;
    const own = this.#session.data.passes.find(({ after }) => after !== null && after === diff?.after);
    const graph = own?.graph ?? (this.#session.crumb?.after ?? this.#session.crumb?.before)?.graph;
    return graph === undefined ? [] : changedPasses(this.#session.data.passes, graph);
  }

  /** The next or previous pass of the graph that changed it. */
  async nextPass(step: 1 | -1): Promise<void> {
    const { recording, compileId, diff } = this.#session.ui;
    if (recording === null) return;
    await this.#session.data.loadPasses(recording, compileId);
    const passes = this.changedPasses;
    const at = passes.findIndex(({ order }) => order === diff?.pass);
    const next = at < 0 ? (step > 0 ? 0 : passes.length - 1) : at + step;
    const pass = next < 0 ? undefined : passes.at(next);
    if (pass) await this.openPass(pass.order);
    else
      this.#session.say(
        passes.length === 0 ? l10n.t('No pass changed this graph.') : l10n.t('No further pass changed this graph.'),
      );
  }

  /** The next or previous place that changed. */
  async nextChange(step: 1 | -1): Promise<void> {
    const all = this.#session.picture.view?.places ?? [];
    if (all.length === 0) return;
    const at = this.changeAt;
    const place = all[at < 0 ? (step > 0 ? 0 : all.length - 1) : (at + step + all.length) % all.length];
    await this.#session.goTo(place.node);
  }

  /** Which of the changed places the selection is in; -1 for none. */
  get changeAt(): number {
    const { view } = this.#session.picture;
    const selected = this.#session.selected;
    if (!view || selected === null) return -1;
    const around = typeof selected === 'number' ? chain(view.tree.home[selected]).map(({ id }) => id) : [selected];
    const exact = view.places.findIndex(({ node, group }) => node === selected || group?.id === selected);
    return exact >= 0 ? exact : view.places.findIndex(({ group }) => around.includes(group?.id ?? '-'));
  }
}
