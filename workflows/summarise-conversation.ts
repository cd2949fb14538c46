import { setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { SummariseArgs } from '#domain/conversations/conversation-jobs.ts';
import { conversationStepsFor } from './conversation-steps.ts';
import { showStage } from './search-attributes.ts';
import { stepsFor } from './steps.ts';

/** Writes the summary of a conversation, which may have grown since: then another run follows. */
export async function summariseConversation(args: SummariseArgs): Promise<void> {
  const { workspace_id, conversation_id, messages } = args;
  const { upkeep } = stepsFor(workspace_id);
  showStage('summarising');
  const show = (doing: string) =>
    setCurrentDetails(
      `**${doing}**\n\n- conversation \`${conversation_id}\`\n- workspace \`${workspace_id}\`\n- messages ${messages}`,
    );
  show('summarising');
  const summary = `Summarise ${messages} messages`;
  const outcome = await conversationStepsFor(workspace_id).summariseMessages.executeWithOptions({ summary }, [args]);
  const settling = { workspace_id, outbox_id: workflowInfo().workflowId };
  await upkeep.settleOutbox.executeWithOptions({ summary: 'Take the work off the outbox' }, [settling]);
  showStage('completed');
  show(`completed: ${outcome.characters} characters`);
}
