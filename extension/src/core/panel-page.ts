/** The page around a panel's bundle. */

export interface PanelPage {
  title: string;
  /** Addresses that the webview may load. */
  script: string;
  style: string;
  cspSource: string;
  nonce: string;
}

/** HTML with a policy that allows our script by nonce, our style sheets and fonts, a worker of our own, and no more. */
export function panelPage(page: PanelPage): string {
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${page.nonce}'`,
    `style-src ${page.cspSource} 'nonce-${page.nonce}'`,
    `font-src ${page.cspSource}`,
    `img-src ${page.cspSource}`,
    'worker-src blob:',
  ].join('; ');
  return `<!DOCTYPE html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta http-equiv="Content-Security-Policy" content="${attribute(policy)}">
  <title>${attribute(page.title)}</title>
  <link rel="stylesheet" href="${attribute(page.style)}" nonce="${attribute(page.nonce)}">
</head>
<body>
  <div id="app"></div>
  <script nonce="${attribute(page.nonce)}" src="${attribute(page.script)}"></script>
</body>
</html>
`;
}

function attribute(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/"/g, '&quot;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}
