import { setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { SummariseArgs } from '#domain/conversations/conversation-jobs.ts';
import { upsertStage } from './upsert-stage.ts';
import { activityProxiesFor } from './activity-proxies.ts';

/** Summarises a conversation. If messages arrived in the meantime, the activity schedules another run. */
export async function summariseConversation(args: SummariseArgs): Promise<void> {
  const { workspace_id, conversation_id, messages } = args;
  const { upkeep, conversations } = activityProxiesFor(workspace_id);
  upsertStage('summarising');
  const show = (doing: string) =>
    setCurrentDetails(
      `**${doing}**\n\n- conversation \`${conversation_id}\`\n- workspace \`${workspace_id}\`\n- messages ${messages}`,
    );
  show('summarising');
  const summary = `Summarise ${messages} messages`;
  const outcome = await conversations.summariseMessages.executeWithOptions({ summary }, [args]);
  const finished = { workspace_id, outbox_id: workflowInfo().workflowId };
  await upkeep.settleOutbox.executeWithOptions({ summary: 'Complete the outbox row' }, [finished]);
  upsertStage('completed');
  show(`completed: ${outcome.characters} characters`);
}
