/** The real VS Code (code-server) with the packaged extension, driven through a browser as a user would. */

import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { chromium, type Browser, type Frame, type Locator, type Page } from 'playwright-core';
import { freePort, killEditor } from './processes.ts';

export type Theme = 'Dark Modern' | 'Light Modern' | 'Default High Contrast';

function required(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === '') {
    throw new Error(`${name} is not set: run these tests with \`python3 dev.py test e2e\``);
  }
  return value;
}

export interface EditorOptions {
  /** Folder whose content is copied into the workspace. */
  workspace: string;
  settings?: Record<string, unknown>;
  theme?: Theme;
  trusted?: boolean;
}

export class Editor {
  private constructor(
    readonly page: Page,
    readonly folder: string,
    private readonly browser: Browser,
    private readonly server: ChildProcess,
    readonly root: string,
    private readonly port: number,
  ) {}

  static async open(options: EditorOptions): Promise<Editor> {
    const root = mkdtempSync(path.join(tmpdir(), 'compilescope e2e ü '));
    const folder = path.join(root, 'workspace');
    cpSync(options.workspace, folder, { recursive: true, filter: (from) => !from.includes('.compilescope') });
    const user = path.join(root, 'data', 'User');
    mkdirSync(user, { recursive: true });
    writeFileSync(
      path.join(user, 'settings.json'),
      JSON.stringify({
        'workbench.colorTheme': options.theme ?? 'Dark Modern',
        'window.autoDetectColorScheme': false,
        'workbench.startupEditor': 'none',
        'workbench.secondarySideBar.defaultVisibility': 'hidden',
        'workbench.tips.enabled': false,
        'chat.disableAIFeatures': true,
        'chat.commandCenter.enabled': false,
        'telemetry.telemetryLevel': 'off',
        'editor.minimap.enabled': false,
        'compilescope.interpreter': required('COMPILESCOPE_PYTHON'),
        ...options.settings,
      }),
    );
    const node = required('CODE_SERVER_NODE');
    const base = [
      required('CODE_SERVER_ENTRY'),
      '--user-data-dir',
      path.join(root, 'data'),
      '--extensions-dir',
      path.join(root, 'extensions'),
    ];
    const installed = spawnSync(node, [...base, '--install-extension', required('COMPILESCOPE_VSIX'), '--force'], {
      encoding: 'utf8',
    });
    if (installed.status !== 0) throw new Error(`the .vsix was not installed: ${installed.stdout}${installed.stderr}`);
    const port = await freePort();
    const server = spawn(
      node,
      [
        ...base,
        ...['--auth', 'none', '--bind-addr', `127.0.0.1:${String(port)}`],
        ...['--disable-telemetry', '--disable-update-check'],
        ...(options.trusted === false ? [] : ['--disable-workspace-trust']),
        folder,
      ],
      { stdio: 'ignore' },
    );
    const browser = await chromium.launch({
      executablePath: required('CHROMIUM'),
      args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
    });
    const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
    const editor = new Editor(page, folder, browser, server, root, port);
    await editor.load();
    return editor;
  }

  /** Open the workbench and wait until it can be used. */
  async load(): Promise<void> {
    const url = `http://127.0.0.1:${String(this.port)}/?folder=${encodeURIComponent(this.folder)}`;
    const end = Date.now() + 90_000;
    for (;;) {
      try {
        await this.page.goto(url, { waitUntil: 'domcontentloaded', timeout: 10_000 });
        await this.page.locator('.monaco-workbench .activitybar').waitFor({ timeout: 30_000 });
        break; // once in a while a page stays empty: it is opened again
      } catch (error) {
        if (Date.now() > end) throw error;
        await new Promise((resolve) => setTimeout(resolve, 300));
      }
    }
    await this.page.locator('.explorer-folders-view .monaco-list-row').first().waitFor({ timeout: 60_000 });
  }

  async reload(): Promise<void> {
    // In a browser VS Code writes down every 5 s which editors are open, and nothing when the page goes.
    await this.page.waitForTimeout(6_000);
    await this.page.reload({ waitUntil: 'domcontentloaded' });
    await this.page.locator('.monaco-workbench .activitybar').waitFor({ timeout: 60_000 });
  }

  async close(): Promise<void> {
    await this.browser.close();
    this.server.kill('SIGTERM');
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => {
        this.server.kill('SIGKILL');
        resolve();
      }, 5_000);
      this.server.once('exit', () => {
        clearTimeout(timer);
        resolve();
      });
    });
    await this.remove();
  }

  /** Removes all that the editor had. The server may still be writing compiled modules as it ends. */
  private async remove(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        rmSync(this.root, { recursive: true, force: true });
        return;
      } catch (error) {
        if (attempt === 20) throw error; // what rmSync tries again by itself is the folder that was not empty
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
    }
  }

  /** Kill every process of the editor itself with SIGKILL, as a crash would; not those that our extension started. */
  kill(): void {
    if (this.server.pid !== undefined) killEditor(this.server.pid);
  }

  async keys(...chords: string[]): Promise<void> {
    for (const chord of chords) await this.page.keyboard.press(chord);
  }

  /**
   * Opens an input of VS Code's by a chord, types into it, and accepts what `row` finds first in its list.
   *
   * The input closes when something takes the focus: an editor does so by itself when its content is there, a while
   * after the workbench. Then it is opened once more, as a user would.
   */
  private async pick(open: string, text: string, row?: Locator): Promise<void> {
    const input = this.page.locator('.quick-input-widget:visible input.input').first();
    for (let attempt = 1; ; attempt++) {
      try {
        await this.keys('Escape');
        await this.keys(open);
        await input.waitFor({ state: 'visible', timeout: 3_000 });
        await input.fill(text, { timeout: 3_000 });
        await row?.first().waitFor({ timeout: 5_000 });
        if ((await input.inputValue({ timeout: 1_000 })) === text) break;
      } catch (error) {
        if (attempt === 6) throw error;
      }
    }
    await this.keys('Enter');
  }

  /** Run a command from the palette, by keyboard. */
  async command(title: string): Promise<void> {
    await this.pick('F1', `>${title}`, this.page.locator('.quick-input-widget .monaco-list-row', { hasText: title }));
  }

  async openFile(name: string): Promise<void> {
    const base = path.basename(name);
    const row = this.page.locator('.quick-input-widget .monaco-list-row.focused', { hasText: base });
    const tab = this.page.locator(`.editor-group-container.active .tab.active[data-resource-name="${base}"]`);
    for (let attempt = 1; ; attempt++) {
      try {
        await this.pick('Control+P', name, row);
        await tab.waitFor({ timeout: 15_000 });
        return;
      } catch (error) {
        if (attempt === 3) {
          await this.screenshot('file_not_open');
          throw error;
        }
      }
    }
  }

  async goTo(line: number, column = 1): Promise<void> {
    const here = `Ln ${String(line)}, Col ${String(column)}`;
    for (let attempt = 1; ; attempt++) {
      await this.pick('Control+G', `:${String(line)}:${String(column)}`);
      try {
        await until(
          () => this.statusBar(),
          (bar) => bar.includes(here),
          5,
          'the cursor is there',
        );
        return;
      } catch (error) {
        if (attempt === 3) throw error;
      }
    }
  }

  /** What the hover says at a place (1-based), opened by keyboard; asked for again when the keys went elsewhere. */
  async hover(line: number, column: number): Promise<string> {
    const card = this.page.locator('.monaco-editor .monaco-hover:not(.hidden)').first();
    for (let attempt = 1; ; attempt++) {
      await this.goTo(line, column);
      await this.keys('Control+K', 'Control+I');
      try {
        await card.waitFor({ timeout: 7_000 });
        break;
      } catch (error) {
        if (attempt === 3) throw error;
      }
    }
    await this.page.waitForTimeout(500);
    return await card.innerText();
  }

  /** Rows of the Problems view, as text. */
  async problems(): Promise<string[]> {
    await this.command('View: Focus Problems');
    const rows = this.page.locator('.markers-panel .monaco-list-row');
    await this.page.waitForTimeout(500);
    return (await rows.allInnerTexts()).map((row) => row.replace(/\s+/g, ' ').trim());
  }

  /** Ranges under a squiggle in the active editor: 1-based line, 0-based columns, from the pixels that are drawn. */
  async squiggles(): Promise<{ line: number; start: number; end: number; severity: string }[]> {
    return await this.page.evaluate(() => {
      const editor = document.querySelector('.editor-group-container.active .monaco-editor');
      if (!editor) return [];
      const lines = [...editor.querySelectorAll<HTMLElement>('.view-lines .view-line')];
      const numbers = new Map<string, number>();
      for (const number of editor.querySelectorAll<HTMLElement>('.margin-view-overlays > div')) {
        const label = number.querySelector('.line-numbers')?.textContent;
        if (label) numbers.set(number.style.top, Number(label));
      }
      const wide = lines.find((line) => line.textContent.length > 20);
      const span = wide?.querySelector<HTMLElement>('span > span') ?? null;
      if (!span) return [];
      const width = span.getBoundingClientRect().width / span.textContent.length;
      const found: { line: number; start: number; end: number; severity: string }[] = [];
      for (const row of editor.querySelectorAll<HTMLElement>('.view-overlays > div')) {
        for (const mark of row.querySelectorAll<HTMLElement>("[class*='squiggly-']")) {
          const severity = /squiggly-(\w+)/.exec(mark.className)?.[1] ?? '';
          const left = Number.parseFloat(mark.style.left);
          const long = Number.parseFloat(mark.style.width);
          const line = numbers.get(row.style.top) ?? -1;
          found.push({ line, start: Math.round(left / width), end: Math.round((left + long) / width), severity });
        }
      }
      return found;
    });
  }

  /** Our icons in the gutter of the active editor: the name of the icon by line (1-based). */
  async gutter(): Promise<Record<number, string>> {
    return await this.page.evaluate(() => {
      const editor = document.querySelector('.editor-group-container.active .monaco-editor');
      const numbers = new Map<number, number>();
      for (const row of editor?.querySelectorAll<HTMLElement>('.margin-view-overlays > div') ?? []) {
        const label = row.querySelector('.line-numbers')?.textContent;
        if (label) numbers.set(Math.round(row.getBoundingClientRect().top), Number(label));
      }
      const found: Record<number, string> = {};
      for (const mark of editor?.querySelectorAll<HTMLElement>('.margin .cgmr') ?? []) {
        const icon = /coverage(?:\/|%2F)(\w+)\.svg/.exec(getComputedStyle(mark).backgroundImage)?.[1];
        const line = numbers.get(Math.round(mark.getBoundingClientRect().top));
        if (icon !== undefined && line !== undefined) found[line] = icon;
      }
      return found;
    });
  }

  async codeLenses(): Promise<string[]> {
    const lenses = this.page.locator('.editor-group-container.active .codelens-decoration');
    return (await lenses.allInnerTexts()).map((text) => text.replace(/\s+/g, ' ').trim()).filter((text) => text !== '');
  }

  /** The inner frame of a webview whose document has `selector`. */
  async panel(selector: string, timeout = 30_000): Promise<Frame> {
    const end = Date.now() + timeout;
    while (Date.now() < end) {
      for (const frame of this.page.frames()) {
        if (frame === this.page.mainFrame()) continue;
        try {
          if ((await frame.locator(selector).count()) > 0) return frame;
        } catch {
          // the frame went away while we looked
        }
      }
      await this.page.waitForTimeout(200);
    }
    await this.screenshot('panel_not_there');
    throw new Error(`no panel with ${selector}`);
  }

  async notifications(): Promise<string[]> {
    return await this.page.locator('.notifications-toasts .notification-list-item').allInnerTexts();
  }

  async statusBar(): Promise<string> {
    return (await this.page.locator('.statusbar').innerText()).replace(/\s+/g, ' ');
  }

  /** Whether the status bar says that a program is being traced. */
  private async tracing(): Promise<boolean> {
    return (await this.page.locator('.statusbar .codicon-loading').count()) > 0;
  }

  /** Compile and Trace the active file from the palette, and wait for the end of the run. */
  async trace(): Promise<void> {
    await this.command('Compilescope: Compile and Trace');
    await until(
      () => this.tracing(),
      (busy) => busy,
      60,
      'a run starts',
    );
    await this.ended();
  }

  /** Waits for the end of the run that goes on. */
  async ended(): Promise<void> {
    await until(
      () => this.tracing(),
      (busy) => !busy,
      180,
      'the run ends',
    );
  }

  async screenshot(name: string): Promise<void> {
    const folder = path.join(import.meta.dirname, 'screenshots');
    mkdirSync(folder, { recursive: true });
    await this.page.screenshot({ path: path.join(folder, `${name}.png`) });
  }
}

/** Poll until `look` returns a value that `good` accepts; the last value goes into the error. */
export async function until<T>(
  look: () => Promise<T>,
  good: (value: T) => boolean,
  seconds: number,
  what: string,
): Promise<T> {
  const end = Date.now() + seconds * 1000;
  let last: T;
  for (;;) {
    last = await look();
    if (good(last)) return last;
    if (Date.now() > end) throw new Error(`${what}: after ${String(seconds)} s still ${JSON.stringify(last)}`);
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}
