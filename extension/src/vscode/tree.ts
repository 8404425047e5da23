/** A tree of rows; children are fetched when a row is opened. */
import * as vscode from 'vscode';
import type { Row } from '../core/rows';

export interface Node {
  row: Row;
  expanded?: boolean;
  children?: () => Promise<Node[]>;
}

export class RowTree implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<Node | undefined>();
  readonly #parents = new Map<string, Node>();
  readonly onDidChangeTreeData = this.#changed.event;

  constructor(private readonly roots: () => Promise<Node[]>) {}

  /** Asks for everything anew. What was open stays open. */
  refresh(): void {
    this.#changed.fire(undefined);
  }

  getTreeItem({ row, expanded }: Node): vscode.TreeItem {
    const states = vscode.TreeItemCollapsibleState;
    const state = !row.branch ? states.None : expanded === true ? states.Expanded : states.Collapsed;
    const item = new vscode.TreeItem(row.label, state);
    item.id = row.id;
    item.description = row.description;
    item.tooltip = row.tooltip;
    item.contextValue = row.kind;
    item.iconPath = new vscode.ThemeIcon(
      row.icon,
      row.color === undefined ? undefined : new vscode.ThemeColor(row.color),
    );
    item.accessibilityInformation = { label: [row.label, row.description].filter((part) => part !== '').join(', ') };
    if (row.command !== undefined) item.command = { title: row.label, ...row.command };
    return item;
  }

  async getChildren(node?: Node): Promise<Node[]> {
    if (node === undefined) {
      this.#parents.clear();
      return this.roots();
    }
    const children = (await node.children?.()) ?? [];
    for (const child of children) this.#parents.set(child.row.id, node);
    return children;
  }

  getParent(node: Node): Node | undefined {
    return this.#parents.get(node.row.id);
  }

  dispose(): void {
    this.#changed.dispose();
  }
}
