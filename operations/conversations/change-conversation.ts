import { AppError } from '#domain/app-error.ts';
import type { Caller } from '#domain/access/caller.ts';
import { summariseJob } from '#domain/conversations/conversation-jobs.ts';
import { statusAfter } from '#domain/conversations/conversation-rules.ts';
import type { JobStart } from '#domain/jobs.ts';
import type { Conversation, UpdateConversationRequest } from '#domain/records/conversation.ts';
import { titleKey } from '#domain/conversations/title-key.ts';
import { lockOneWritable, requireCollections, requireReadable, toConversation } from './conversation-access.ts';
import type { Services } from '#operations/services.ts';
import { startJobs } from '#operations/jobs/start-jobs.ts';

/** A conversation. @throws AppError `not_found`. */
export async function getConversation(services: Services, caller: Caller, id: string): Promise<Conversation> {
  return toConversation(await requireReadable(services.stores, caller, id));
}

/**
 * Changes the fields that were sent.
 * @throws AppError `not_found`, `forbidden` for who only reads it, `conflict` for an archived one.
 */
export async function updateConversation(
  services: Services,
  caller: Caller,
  { id, body }: { id: string; body: UpdateConversationRequest },
): Promise<Conversation> {
  return services.stores.transaction(async (stores) => {
    const before = await lockOneWritable(stores, caller, id);
    if (before.status === 'archived') {
      throw new AppError('conflict', 'The conversation is archived: it may be read and deleted, not changed.');
    }
    await requireCollections(stores, caller, body.collections ?? []);
    const key = body.title === undefined ? {} : { titleKey: titleKey(body.title ?? '') };
    await stores.conversations.update(caller.scope, id, { ...body, ...key });
    return toConversation(await requireReadable(stores, caller, id));
  });
}

/**
 * Ends or archives a conversation; one that is there already stays as it is. What is not summarised yet will be.
 * @throws AppError `not_found`, `forbidden` for who only reads it, `conflict` for ending an archived one.
 */
export async function moveConversation(
  services: Services,
  caller: Caller,
  { id, action }: { id: string; action: 'end' | 'archive' },
): Promise<Conversation> {
  const { conversation, jobs } = await services.stores.transaction(async (stores) => {
    const before = await lockOneWritable(stores, caller, id);
    const status = statusAfter(before.status, action);
    if (status === null) throw new AppError('conflict', 'The conversation is archived; that is final.');
    await stores.conversations.setStatus(caller.scope, id, status);
    const started: JobStart[] = [];
    if (before.status === 'active' && before.message_count > before.summary_asked) {
      const job = summariseJob({
        workspace_id: caller.scope.workspaceId,
        conversation_id: id,
        messages: before.message_count,
      });
      await stores.conversations.noteSummaryAsked(caller.scope, id, before.message_count);
      await stores.outbox.add(caller.scope, job);
      started.push(job);
    }
    return { conversation: toConversation(await requireReadable(stores, caller, id)), jobs: started };
  });
  startJobs(services, caller.scope, jobs);
  return conversation;
}

/** Deletes a conversation with its messages. @throws AppError `not_found`, `forbidden` for who only reads it. */
export async function deleteConversation(services: Services, caller: Caller, id: string): Promise<void> {
  await services.stores.transaction(async (stores) => {
    await lockOneWritable(stores, caller, id);
    await stores.conversations.delete(caller.scope, id);
  });
}
