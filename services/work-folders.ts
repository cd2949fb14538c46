import { join } from 'node:path';
import type { Config } from '#config/index.ts';

/**
 * The folders of this machine for work: `spool` holds bytes until they are stored, and those of a bucket while they are read;
 * `reading` what the child processes of the worker read and write.
 */
export function workFolders({ workDir }: Pick<Config['blobs'], 'workDir'>): { spool: string; reading: string } {
  return { spool: join(workDir, 'spool'), reading: join(workDir, 'reading') };
}
