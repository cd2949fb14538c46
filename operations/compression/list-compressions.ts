import type { Caller } from '#domain/access/caller.ts';
import { COMPRESSION_STATUSES, type CompressionList, type CompressionStatus } from '#domain/records/compression.ts';
import { listNewest, type NewestQuery } from '#operations/list-newest.ts';
import type { Services } from '#operations/services.ts';
import { reachesAllJobs } from './get-compression.ts';
import { summarizeCompression } from './present-compression.ts';

export type ListCompressionsQuery = NewestQuery & { status?: CompressionStatus | undefined };

/** Returns a page of the jobs that the caller may read, newest first. @throws AppError `validation_failed` for a foreign cursor. */
export async function listCompressions(
  { stores }: Services,
  caller: Caller,
  { status, ...query }: ListCompressionsQuery,
): Promise<CompressionList> {
  const binding = { list: 'compressions', filters: { status } };
  const statuses = status === undefined ? COMPRESSION_STATUSES : [status];
  const createdBy = reachesAllJobs(caller) ? null : caller.principal;
  const { page, next } = await listNewest(query, binding, async (asked) =>
    stores.compressions.list(caller.scope, { createdBy, statuses, page: asked }),
  );
  return { data: page.map(summarizeCompression), ...next };
}
