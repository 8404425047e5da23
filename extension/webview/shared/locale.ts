/** Sets the language of the panel's texts, which the host puts into the page. Imported first: constants are texts. */
import * as l10n from '@vscode/l10n';

/** Id of the element with the texts, as JSON. */
const ELEMENT = 'l10n';

const given = document.getElementById(ELEMENT)?.textContent;
if (given != null && given !== '') l10n.config({ contents: JSON.parse(given) as l10n.l10nJsonFormat });
