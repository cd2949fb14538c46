import { setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { ExtractionOutcome, ExtractMemoriesArgs } from '#domain/conversations/conversation-jobs.ts';
import { conversationStepsFor } from './conversation-steps.ts';
import { showStage } from './search-attributes.ts';
import { stepsFor } from './steps.ts';

/** Makes memories of messages, some at a time. */
export async function extractMemories(args: ExtractMemoriesArgs): Promise<void> {
  const { workspace_id, conversation_id, to } = args;
  const { upkeep } = stepsFor(workspace_id);
  const { extractFromMessages } = conversationStepsFor(workspace_id);
  showStage('extracting');
  let memories = 0;
  const show = (doing: string) =>
    setCurrentDetails(
      `**${doing}**: ${memories} memories\n\n- conversation \`${conversation_id}\`\n- workspace \`${workspace_id}\`\n- messages ${args.from} to ${to}`,
    );
  show('extracting');
  for (let from: number | null = args.from; from !== null;) {
    const summary = `Messages ${from} to ${to}`;
    const outcome: ExtractionOutcome = await extractFromMessages.executeWithOptions({ summary }, [{ ...args, from }]);
    memories += outcome.memories;
    from = outcome.next;
    show('extracting');
  }
  const settling = { workspace_id, outbox_id: workflowInfo().workflowId };
  await upkeep.settleOutbox.executeWithOptions({ summary: 'Take the work off the outbox' }, [settling]);
  showStage('completed');
  show('completed');
}
