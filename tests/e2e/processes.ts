/** The editor's processes: the port that they listen on, and their end. */

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';

export async function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => {
        if (address === null || typeof address === 'string') reject(new Error('no port'));
        else resolve(address.port);
      });
    });
  });
}

/** Kills what the editor with the process `root` is made of, and nothing else that descends from it. */
export function killEditor(root: number): void {
  const lines = execFileSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' }).split('\n');
  for (const line of lines) {
    const pid = Number(/^\s*(\d+) /.exec(line)?.[1]);
    const isEditor = line.includes('code-server') || line.includes('extensionHost');
    if (isEditor && descends(pid, root)) process.kill(pid, 'SIGKILL');
  }
}

function descends(pid: number, root: number): boolean {
  let at = pid;
  while (at > 1) {
    if (at === root) return true;
    try {
      at = Number(
        readFileSync(`/proc/${String(at)}/stat`, 'utf8')
          .split(') ')[1]
          ?.split(' ')[1],
      );
    } catch {
      return false;
    }
  }
  return false;
}
