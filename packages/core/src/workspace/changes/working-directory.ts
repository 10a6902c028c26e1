import type { Follower } from './followers.js';
import { primaryDirectory } from '../../snapshot/snapshot.js';

/**
 * Moves the process to the first directory root, and leaves it where it is when there is none. Only for a process that
 * serves a single connection: the working directory belongs to the whole process.
 */
export function followWorkingDirectory(chdir: (directory: string) => void): Follower {
  let current: string | undefined;
  return {
    name: 'working directory',
    apply({ snapshot }) {
      const directory = primaryDirectory(snapshot);
      if (directory === undefined || directory === current) return;
      chdir(directory);
      current = directory;
    },
  };
}
