import { AppError } from '#domain/app-error.ts';
import type { Caller } from '#domain/access/caller.ts';
import { memoryNotFound } from './memory-owner.ts';
import { removeMemoryObjects } from './project-memories.ts';
import type { Services } from '#operations/services.ts';

/**
 * Deletes a memory with its history. It is out of every answer at once; what the index holds of it goes too, now or, when
 * the index is away, as soon as it is back.
 * @throws AppError `not_found`, `forbidden` for a user who may read it and is not its owner.
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
  removeMemoryObjects(services, { workspace_id: workspaceId, memory_id: memoryId }).catch((error: unknown) => {
    services.log.info({ error, workspace_id: workspaceId }, 'objects of a deleted memory go later');
  });
}
