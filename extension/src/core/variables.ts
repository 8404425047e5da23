/** `${workspaceFolder}` and its like in settings. */
import * as path from 'node:path';

export interface Places {
  file: string | undefined;
  folder: string | undefined;
  /** All workspace folders by name. */
  folders: Readonly<Record<string, string>>;
  home: string;
  environment: Readonly<Record<string, string | undefined>>;
}

/** `text` with its variables filled in. One that is not known, or has no value here, stays as it is written. */
export function fillIn(text: string, places: Places): string {
  return text.replace(/\$\{([^}]+)\}/g, (whole, name: string) => value(name, places) ?? whole);
}

function value(name: string, places: Places): string | undefined {
  if (name.startsWith('env:')) return places.environment[name.slice('env:'.length)] ?? '';
  if (name.startsWith('workspaceFolder:')) return places.folders[name.slice('workspaceFolder:'.length)];
  switch (name) {
    case 'file':
      return places.file;
    case 'fileDirname':
      return places.file === undefined ? undefined : path.dirname(places.file);
    case 'workspaceFolder':
      return places.folder;
    case 'userHome':
      return places.home;
    default:
      return undefined;
  }
}
