import { proxyActivities } from '@temporalio/workflow';
import type { ConversationSteps, SummariseArgs, SummaryOutcome } from '#domain/conversations/conversation-jobs.ts';
import { TASK_QUEUES } from '#domain/task-queues.ts';

/** Schedules the activity as workflows did before there was a queue for conversations. */
export async function summariseOnUpkeep(args: SummariseArgs): Promise<SummaryOutcome> {
  const { summariseMessages } = proxyActivities<ConversationSteps>({
    taskQueue: TASK_QUEUES.upkeep,
    startToCloseTimeout: '30m',
    retry: { maximumAttempts: 3 },
  });
  return summariseMessages(args);
}
