/** The host's side of one panel: answers its requests and passes its wishes on. */
import * as l10n from '@vscode/l10n';
import type {
  Change,
  FromPanel,
  MadeFile,
  Method,
  PanelAction,
  Requests,
  Selection,
  SourcePlace,
  Target,
  ToPanel,
} from '../shared/messages';
import { METHODS } from '../shared/messages';
import type { PanelKind } from '../shared/panels';
import { PANEL_KINDS } from '../shared/panels';
import { PROBLEM_COMMANDS, problemOf } from './problem';

/** What a panel may have done for it. */
export interface PanelHost {
  send(message: ToPanel): void;
  /** What to show first. Null: there is no recording. */
  target(): Promise<Target | null>;
  request<M extends Method>(
    method: M,
    params: Requests[M]['params'],
    signal: AbortSignal,
  ): Promise<Requests[M]['result']>;
  openSource(place: SourcePlace, preserveFocus: boolean): Promise<void>;
  openDiff(recording: string, before: string, after: string, title: string): Promise<void>;
  openChanges(recording: string, title: string, changes: readonly Change[]): Promise<void>;
  show(panel: PanelKind, target: Target): Promise<void>;
  saveFile(file: MadeFile): Promise<void>;
  selected(selection: Selection): void;
  action(action: PanelAction): Promise<void>;
  command(command: string): Promise<void>;
  copy(text: string): Promise<void>;
  log(text: string): void;
}

export class PanelSession {
  #requests = new Map<number, AbortController>();

  constructor(private readonly host: PanelHost) {}

  /** Handles one message; never fails. Messages that are none of the contract are logged. */
  async receive(message: unknown): Promise<void> {
    try {
      await this.#handle(message as FromPanel);
    } catch (error) {
      this.host.log(`panel: ${problemOf(error).title} ${problemOf(error).detail}`);
    }
  }

  /** Gives up all requests, as when the panel is closed. */
  dispose(): void {
    for (const controller of this.#requests.values()) controller.abort();
    this.#requests.clear();
  }

  async #handle(message: FromPanel): Promise<void> {
    switch (message.type) {
      case 'ready':
        this.host.send({ type: 'show', target: await this.host.target() });
        break;
      case 'request':
        await this.#answer(message.id, message.method, message.params);
        break;
      case 'cancel':
        this.#requests.get(message.id)?.abort();
        break;
      case 'openSource':
        await this.host.openSource(message.place, message.preserveFocus);
        break;
      case 'openDiff':
        await this.host.openDiff(message.recording, message.before, message.after, message.title);
        break;
      case 'openChanges':
        await this.host.openChanges(message.recording, message.title, message.changes);
        break;
      case 'showPanel':
        if (PANEL_KINDS.includes(message.panel)) await this.host.show(message.panel, message.target);
        else this.host.log(`panel: not a panel: ${message.panel}`);
        break;
      case 'saveFile':
        await this.host.saveFile(message.file);
        break;
      case 'select':
        this.host.selected(message.selection);
        break;
      case 'action':
        await this.host.action(message.action);
        break;
      case 'command':
        if (PROBLEM_COMMANDS.includes(message.command)) await this.host.command(message.command);
        else this.host.log(`panel: not a command that a panel may run: ${message.command}`);
        break;
      case 'copy':
        await this.host.copy(message.text);
        break;
      case 'log':
        this.host.log(`panel: ${message.text}`);
        break;
      default:
        this.host.log('panel: a message that the host does not know');
    }
  }

  async #answer<M extends Method>(id: number, method: M, params: Requests[M]['params']): Promise<void> {
    if (!METHODS.includes(method)) {
      const detail = l10n.t('Unknown request {0}.', method as string);
      const problem = {
        code: 'unknown-request',
        title: l10n.t('The panel asked for something unknown.'),
        detail,
        actions: [],
      };
      this.host.send({ type: 'response', id, problem });
      return;
    }
    const controller = new AbortController();
    this.#requests.set(id, controller);
    try {
      const result = await this.host.request(method, params, controller.signal);
      this.host.send({ type: 'response', id, result });
    } catch (error) {
      this.host.send({ type: 'response', id, problem: problemOf(error) });
    } finally {
      this.#requests.delete(id);
    }
  }
}
