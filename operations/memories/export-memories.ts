import type { Caller } from '#domain/access/caller.ts';
import type { MemoryVersion } from '#domain/records/memory.ts';
import type { VersionPosition } from '#store/memories/user-memories.ts';
import type { Services } from '#operations/services.ts';
import { resolveUser } from './memory-owner.ts';
import { toMemoryVersion } from './memory-record.ts';

const PAGE_SIZE = 500;

/**
 * Yields every version of every memory of a user, superseded ones included, oldest memory first. Read in pages: what is changed
 * meanwhile may be included or not.
 * @throws AppError `validation_failed` when an API key names no user, `forbidden` for another user than that of the token.
 */
export async function* exportMemories(
  services: Services,
  caller: Caller,
  request: { userId: string | undefined },
): AsyncGenerator<MemoryVersion> {
  const userId = resolveUser(caller, request.userId);
  for (let after: VersionPosition | null = null; ;) {
    const page = await services.stores.userMemories.listVersions(caller.scope, userId, { after, limit: PAGE_SIZE });
    yield* page.rows.map(toMemoryVersion);
    const last = page.rows.at(-1);
    if (!last || !page.hasMore) return;
    after = { createdUs: last.created_us, id: last.memory_id, version: last.version };
  }
}
