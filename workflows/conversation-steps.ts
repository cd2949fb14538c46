import { proxyActivities } from '@temporalio/workflow';
import type { ConversationSteps } from '#domain/conversations/conversation-steps.ts';
import { TASK_QUEUES } from '#domain/task-queues.ts';

/** Like the steps of `stepsFor`, with time for a chat model that is slow. What is done stays done when one is repeated. */
export function conversationStepsFor(workspaceId: string) {
  return proxyActivities<ConversationSteps>({
    taskQueue: TASK_QUEUES.upkeep,
    startToCloseTimeout: '30m',
    heartbeatTimeout: '10s',
    retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s' },
    priority: { fairnessKey: workspaceId },
  });
}
