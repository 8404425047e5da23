/** Addresses of recordings: a path, or one of several jobs whose logs lie in a folder (`FOLDER#job=LOG`). */

const MARK = '#job=';

/** Whether it is one of several jobs in a folder. */
export function isJob(recording: string): boolean {
  return recording.includes(MARK);
}

/** The folder or file on disk that a recording is in. */
export function placeOf(recording: string): string {
  const at = recording.lastIndexOf(MARK);
  return at < 0 ? recording : recording.slice(0, at);
}
