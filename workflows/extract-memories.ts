import { setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { ExtractionOutcome, ExtractMemoriesArgs } from '#domain/conversations/conversation-jobs.ts';
import { upsertStage } from './upsert-stage.ts';
import { activityProxiesFor } from './activity-proxies.ts';

/** Extracts memories from messages, a page of messages at a time. */
export async function extractMemories(args: ExtractMemoriesArgs): Promise<void> {
  const { workspace_id, conversation_id, to } = args;
  const { upkeep, conversations } = activityProxiesFor(workspace_id);
  upsertStage('extracting');
  let memories = 0;
  const show = (doing: string) =>
    setCurrentDetails(
      `**${doing}**: ${memories} memories\n\n- conversation \`${conversation_id}\`\n- workspace \`${workspace_id}\`\n- messages ${args.from} to ${to}`,
    );
  show('extracting');
  for (let from: number | null = args.from; from !== null;) {
    const summary = `Messages ${from} to ${to}`;
    const outcome: ExtractionOutcome = await conversations.extractFromMessages.executeWithOptions({ summary }, [
      { ...args, from },
    ]);
    memories += outcome.memories;
    from = outcome.next;
    show('extracting');
  }
  const finished = { workspace_id, outbox_id: workflowInfo().workflowId };
  await upkeep.settleOutbox.executeWithOptions({ summary: 'Complete the outbox row' }, [finished]);
  upsertStage('completed');
  show('completed');
}
