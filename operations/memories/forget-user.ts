import type { Caller } from '#domain/access/caller.ts';
import { userSubjectId } from '#domain/memories/memory-ids.ts';
import { forgetUserJob } from '#domain/memories/user-deletion.ts';
import type { DeletionAccepted } from '#domain/records/deletion.ts';
import { startWorkflows } from '#operations/jobs/start-workflows.ts';
import type { Scope } from '#domain/access/scope.ts';
import type { Services } from '#operations/services.ts';
import type { RemovalPage } from '#store/memories/user-memories.ts';
import type { Stores } from '#store/stores.ts';
import { resolveUser } from './memory-owner.ts';

/** What is gone when the request is answered; the workflow removes the rest within seconds. */
const REMOVED_AT_ONCE: RemovalPage = { memories: 5_000, versions: 10_000, leavesLarge: true };
/** Extractions that one statement ends, well within its timeout. */
const ENDED_AT_ONCE = 5_000;

/**
 * Deletes all memories that a user has now, with their versions: at once those of nearly every user, in one transaction. A
 * workflow then removes index objects and completes the receipt. No memory is extracted from earlier messages any more; the
 * messages stay. Deleting again returns the same deletion while it is not completed, unless there are new memories or the caller
 * may not read its receipt.
 * @throws AppError `validation_failed` when an API key names no user, `forbidden` for another user than that of the token.
 */
export async function forgetUser(
  services: Services,
  caller: Caller,
  request: { userId: string | undefined },
): Promise<DeletionAccepted> {
  const userId = resolveUser(caller, request.userId);
  const { scope, principal: createdBy } = caller;
  // Nearly all; those of messages that arrive meanwhile are ended below.
  await endExtractions(services.stores, scope, userId);
  const { deletion, jobs } = await services.stores.transaction(async (stores) => {
    await stores.memorySupersessions.lockUser(scope, userId);
    // An open deletion ended the extractions of its time only.
    await endExtractions(stores, scope, userId);
    const open = await stores.userMemories.findDeletion(scope, { userId, createdBy, readerId: caller.userId });
    if (open) return { deletion: open, jobs: [] };
    const subjectId = userSubjectId(scope.workspaceId, userId);
    const id = await stores.userMemories.beginDeletion(scope, { userId, subjectId, createdBy });
    await stores.userMemories.remove(scope, id, REMOVED_AT_ONCE);
    const job = forgetUserJob({ workspace_id: scope.workspaceId, deletion_id: id });
    await stores.outbox.add(scope, [job]);
    return { deletion: { id, status: 'pending' as const }, jobs: [job] };
  });
  startWorkflows(services, jobs);
  return { deletion_id: deletion.id, status: deletion.status };
}

async function endExtractions(stores: Stores, scope: Scope, userId: string): Promise<void> {
  for (let ended = ENDED_AT_ONCE; ended === ENDED_AT_ONCE;) {
    ended = await stores.userMemories.endExtractions(scope, userId, ENDED_AT_ONCE);
  }
}
