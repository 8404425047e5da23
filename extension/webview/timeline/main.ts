import '../shared/locale';
import '@vscode-elements/elements/dist/vscode-button/index.js';
import '@vscode-elements/elements/dist/vscode-option/index.js';
import '@vscode-elements/elements/dist/vscode-single-select/index.js';
import '../shared/coded.css';
import '../shared/flame/flame.css';
import './timeline.css';
import { TimelinePanel } from './panel';

const root = document.getElementById('app');
if (root) new TimelinePanel(root);
