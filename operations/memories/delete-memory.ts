import { AppError } from '#domain/app-error.ts';
import type { Caller } from '#domain/access/caller.ts';
import { memoryNotFound } from './memory-owner.ts';
import { removeMemoryObjects } from './remove-memory-residues.ts';
import type { Services } from '#operations/services.ts';

/**
 * Deletes a memory with its history. No response contains it any more, except those that `Idempotency-Key` repeats. Its index objects are removed in the background, by the
 * worker when the index is unavailable now.
 * @throws AppError `not_found`, `forbidden` for a readable memory of another user.
 */
export async function deleteMemory(services: Services, caller: Caller, memoryId: string): Promise<void> {
  await services.stores.transaction(async (stores) => {
    const row = await stores.memories.lock(caller.scope, memoryId, { readerId: caller.userId });
    if (!row) throw memoryNotFound();
    if (caller.userId !== null && caller.userId !== row.user_id) {
      throw new AppError('forbidden', 'Only the owner of a memory may delete it.');
    }
    await stores.memories.delete(caller.scope, memoryId);
  });
  const { workspaceId } = caller.scope;
  removeMemoryObjects(services, { workspace_id: workspaceId, memory_ids: [memoryId] }).catch((error: unknown) => {
    services.log.info({ error, workspace_id: workspaceId }, 'index objects of a deleted memory will be removed later');
  });
}
