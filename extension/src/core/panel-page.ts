/** The page around a panel's bundle. */

export interface PanelPage {
  title: string;
  /** Addresses that the webview may load. */
  script: string;
  styles: readonly string[];
  cspSource: string;
  nonce: string;
  /** Language of the page, as in `zh-cn`, and its texts by the English ones; none for English. */
  language: string;
  texts: Readonly<Record<string, unknown>> | undefined;
}

/** HTML with a policy that allows our script by nonce (and so what it imports), our style sheets and fonts, a worker of our own, and no more. */
export function panelPage(page: PanelPage): string {
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${page.nonce}'`,
    `style-src ${page.cspSource} 'nonce-${page.nonce}'`,
    `font-src ${page.cspSource}`,
    `img-src ${page.cspSource}`,
    'worker-src blob:',
  ].join('; ');
  const links = page.styles.map(
    (style) => `<link rel="stylesheet" href="${attribute(style)}" nonce="${attribute(page.nonce)}">`,
  );
  const texts = page.texts === undefined ? '' : JSON.stringify(page.texts).replace(/</g, '\\u003c');
  return `<!DOCTYPE html>
<html lang="${attribute(page.language)}">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta http-equiv="Content-Security-Policy" content="${attribute(policy)}">
  <title>${attribute(page.title)}</title>
  ${links.join('\n  ')}
</head>
<body>
  <div id="app"></div>
  <script id="l10n" type="application/json">${texts}</script>
  <script type="module" nonce="${attribute(page.nonce)}" src="${attribute(page.script)}"></script>
</body>
</html>
`;
}

function attribute(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/"/g, '&quot;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}
