import { AppError } from '#domain/app-error.ts';
import type { Caller } from '#domain/access/caller.ts';
import type { CompressionJob } from '#domain/records/compression.ts';
import type { CompressionRow } from '#store/compression/compressions.ts';
import type { Stores } from '#store/stores.ts';
import type { Services } from '#operations/services.ts';
import { presentCompressionJob } from './present-compression.ts';

/** Returns a compression job, with its result when it is completed. @throws AppError `not_found`. */
export async function getCompression({ stores }: Services, caller: Caller, id: string): Promise<CompressionJob> {
  return presentWithResult(stores, caller, requireReachable(caller, await stores.compressions.find(caller.scope, id)));
}

async function presentWithResult(stores: Stores, { scope }: Caller, job: CompressionRow): Promise<CompressionJob> {
  if (job.status !== 'completed') return presentCompressionJob(job, null);
  const contents = await stores.compressions.contents(scope, job.id);
  return presentCompressionJob(job, contents.filter((text) => text !== '').join(job.joint ?? ''));
}

/** API keys and administrators reach all jobs of the workspace, other users only their own. */
export function reachesAllJobs({ userId, permissions }: Caller): boolean {
  return userId === null || permissions.includes('*');
}

/** Returns a job that the caller reaches. @throws AppError `not_found`. */
export function requireReachable(caller: Caller, job: CompressionRow | null): CompressionRow {
  if (job && (reachesAllJobs(caller) || job.created_by === caller.principal)) return job;
  throw new AppError('not_found', 'There is no such compression job, or it is not accessible with these credentials.');
}
