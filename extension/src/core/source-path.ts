/** Which files a recording may open without asking: a recording is data from elsewhere. */
import * as path from 'node:path';

/** True when `file` lies in one of `roots`. Both must be absolute; `..` does not lead out. */
export function isInside(file: string, roots: readonly string[]): boolean {
  return roots.some((root) => {
    const relative = path.relative(root, file);
    return relative !== '' && relative.split(path.sep)[0] !== '..' && !path.isAbsolute(relative);
  });
}

/** The folders of an interpreter's libraries: of its environment and of the installation beneath. */
export function libraryRoots(python: string, realPath: (file: string) => string): string[] {
  const prefixes = [python, realPath(python)].map((file) => path.dirname(path.dirname(file)));
  const roots = prefixes.flatMap((prefix) => [path.join(prefix, 'lib'), path.join(prefix, 'Lib')]);
  // On Windows the interpreter of an installation lies in the prefix itself.
  return [...new Set([...roots, path.join(path.dirname(realPath(python)), 'Lib')])];
}
