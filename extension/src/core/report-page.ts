/** A report as VS Code shows it: light or dark as the editor is, not as the system. */

const DARK = /screen and \(prefers-color-scheme: dark\)/g;

export const themed = (html: string, dark: boolean): string => html.replace(DARK, dark ? 'screen' : 'not all');
