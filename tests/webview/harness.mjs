// Runs a panel's bundle in Chromium, under the panel's own CSP, with a host that answers from a function.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';
import { chromium } from 'playwright-core';
import { keepNamedIcons } from '../../tools/icon_font.mjs';
import { PANELS, panelBuild } from '../../tools/panels.mjs';
import { THEMES, themeCss } from './themes.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SHOTS = join(ROOT, 'tests/webview/screenshots');
const TYPES = { '.js': 'text/javascript', '.css': 'text/css', '.ttf': 'font/ttf', '.html': 'text/html' };
const NONCE = 'c0mpilesc0pe';

function page(panel, theme, language, heard, origin) {
  return `<!DOCTYPE html><html lang="${language}"><head><meta charset="utf-8"><title>${panel}</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'nonce-${NONCE}'; style-src ${origin}; font-src ${origin}; worker-src blob:">
<link rel="stylesheet" href="/theme-${theme}.css"><link rel="stylesheet" href="/base.css"><link rel="stylesheet" href="/${panel}.css"></head>
<body class="${THEMES[theme].kind}${heard ? ' vscode-using-screen-reader' : ''}"><div id="app"></div><script id="l10n" type="application/json">${texts(language)}</script><script type="module" nonce="${NONCE}" src="/${panel}.js"></script></body></html>`;
}

/** The texts of a language as the host puts them into the page; none for English. */
function texts(language) {
  if (language === 'en') return '';
  return readFileSync(join(ROOT, `l10n/bundle.l10n.${language}.json`), 'utf8').replace(/</g, '\\u003c');
}

/** Starts Chromium and a server for the bundles. */
export async function start() {
  const outdir = mkdtempSync(join(tmpdir(), 'panels-'));
  await esbuild.build({ ...panelBuild(outdir, true), logLevel: 'error' });
  await keepNamedIcons(outdir);
  const server = createServer((request, response) => {
    const url = new URL(request.url, 'http://localhost');
    const theme = /^\/theme-(\w+)\.css$/.exec(url.pathname);
    const shown = PANELS.find((name) => url.pathname === `/${name}`);
    const file = join(outdir, url.pathname.slice(1));
    const type = shown ? '.html' : extname(url.pathname);
    let body = null;
    const { theme: look, language, heard } = Object.fromEntries(url.searchParams);
    if (shown) body = page(shown, look, language, heard === 'true', `http://${request.headers.host}`);
    else if (theme) body = themeCss(theme[1]);
    else if (existsSync(file)) body = readFileSync(file);
    response.writeHead(body === null ? 404 : 200, { 'content-type': TYPES[type] ?? 'text/plain' });
    response.end(body ?? '');
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--headless', '--no-sandbox', '--disable-gpu'],
  });
  const origin = `http://127.0.0.1:${server.address().port}`;
  return {
    /** Opens a panel. `answer(method, params)` gives `{ result }` or `{ problem }`; `target` is what the host shows. */
    open: (panel, options) => openPanel(browser, origin, panel, options),
    async stop() {
      await browser.close();
      server.close();
      rmSync(outdir, { recursive: true, force: true });
    },
  };
}

async function openPanel(
  browser,
  origin,
  panel,
  { answer, target, theme = 'dark', language = 'en', heard = false, width = 1280, height = 800, delay = 0 },
) {
  const context = await browser.newContext({ viewport: { width, height } });
  const tab = await context.newPage();
  tab.setDefaultTimeout(4000);
  let current = target;
  const messages = [];
  const errors = [];
  tab.on('pageerror', (error) => errors.push(error.message));
  tab.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  await tab.exposeFunction('toHost', async (message) => {
    messages.push(message);
    if (message.type === 'ready') return { type: 'show', target: current };
    if (message.type !== 'request') return null;
    if (delay > 0) await new Promise((done) => setTimeout(done, delay));
    return { type: 'response', id: message.id, ...answer(message.method, message.params) };
  });
  await tab.addInitScript(() => {
    window.violations = [];
    document.addEventListener('securitypolicyviolation', (event) =>
      window.violations.push(`${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`),
    );
    window.acquireVsCodeApi = () => ({
      postMessage: async (message) => {
        const reply = await window.toHost(JSON.parse(JSON.stringify(message)));
        if (reply) window.postMessage(reply, '*');
      },
      getState: () => JSON.parse(sessionStorage.getItem('state') ?? 'null') ?? undefined,
      setState: (state) => sessionStorage.setItem('state', JSON.stringify(state)),
    });
  });
  await tab.goto(`${origin}/${panel}?theme=${theme}&language=${language}&heard=${heard}`);
  return {
    tab,
    /** What the host shows from the next load on. */
    setTarget: (next) => {
      current = next;
    },
    messages,
    errors,
    sent: (type) => messages.filter((message) => message.type === type),
    send: (message) => tab.evaluate((data) => window.postMessage(data, '*'), message),
    state: () => tab.evaluate(() => JSON.parse(sessionStorage.getItem('state') ?? 'null')),
    violations: () => tab.evaluate(() => window.violations),
    async shot(name) {
      mkdirSync(SHOTS, { recursive: true });
      await tab.waitForTimeout(150);
      await tab.screenshot({ path: join(SHOTS, `${name}.png`) });
    },
    close: () => context.close(),
  };
}

export const TARGET = {
  recording: '/home/user/project/.compilescope/20261129-131729',
  compileId: null,
  snapshot: null,
  node: null,
  pass: null,
  kernel: null,
  source: null,
};
