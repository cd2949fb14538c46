import { AppError } from '#domain/app-error.ts';
import type { Caller } from '#domain/access/caller.ts';
import { summariseJob } from '#domain/conversations/conversation-jobs.ts';
import { nextConversationStatus } from '#domain/conversations/conversation-status.ts';
import type { JobStart } from '#domain/jobs.ts';
import type { Conversation } from '#domain/records/conversation.ts';
import { lockWritableConversation, requireReadableConversation } from './require-conversation.ts';
import { toConversation } from './conversations.ts';
import type { Services } from '#operations/services.ts';
import { startWorkflows } from '#operations/jobs/start-workflows.ts';

/**
 * Ends or archives a conversation; one that already has the status is left unchanged. Enqueues a summary of messages that have
 * not been summarised yet.
 * @throws AppError `not_found`, `forbidden` for a public conversation of another user, `conflict` for ending an archived one.
 */
export async function changeConversationStatus(
  services: Services,
  caller: Caller,
  { id, action }: { id: string; action: 'end' | 'archive' },
): Promise<Conversation> {
  const { conversation, jobs } = await services.stores.transaction(async (stores) => {
    const before = await lockWritableConversation(stores, caller, id);
    const status = nextConversationStatus(before.status, action);
    if (status === null) throw new AppError('conflict', 'The conversation is archived and cannot be ended.');
    await stores.conversations.setStatus(caller.scope, id, status);
    const started: JobStart[] = [];
    if (before.status === 'active' && before.message_count > before.summary_asked) {
      const job = summariseJob({
        workspace_id: caller.scope.workspaceId,
        conversation_id: id,
        messages: before.message_count,
      });
      await stores.conversations.recordSummaryRequest(caller.scope, id, before.message_count);
      await stores.outbox.add(caller.scope, [job]);
      started.push(job);
    }
    return { conversation: toConversation(await requireReadableConversation(stores, caller, id)), jobs: started };
  });
  startWorkflows(services, jobs);
  return conversation;
}
