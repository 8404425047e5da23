/** Recordings that the user opened from anywhere: remembered for this workspace, so that a reload has them again. */

/** The part of VS Code's `Memento` that is needed. */
export interface Memory {
  get<T>(key: string, otherwise: T): T;
  update(key: string, value: unknown): PromiseLike<void>;
}

const KEY = 'openedRecordings';
const MOST = 20;

export class OpenedLogs {
  constructor(
    private readonly memory: Memory,
    private readonly isThere: (recording: string) => boolean,
  ) {}

  /** Those that are still there, the last one opened last. */
  get all(): string[] {
    return this.memory.get<string[]>(KEY, []).filter((one) => this.isThere(one));
  }

  async add(recording: string): Promise<void> {
    await this.memory.update(KEY, [...this.all.filter((one) => one !== recording), recording].slice(-MOST));
  }

  async clear(): Promise<void> {
    await this.memory.update(KEY, undefined);
  }
}
