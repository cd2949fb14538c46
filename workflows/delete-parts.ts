import { setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { DeleteContentArgs } from '#domain/uploads/ingest-jobs.ts';
import { showStage } from './search-attributes.ts';
import { stepsFor } from './steps.ts';

/** Removes contents that came out of another one, whose present version no longer holds them. */
export async function deleteParts(args: DeleteContentArgs): Promise<void> {
  const { workspace_id, collection_id, content_id } = args;
  const { upkeep } = stepsFor(workspace_id);
  const show = (stage: string) => {
    showStage(stage);
    setCurrentDetails(
      `**${stage}**: what content \`${content_id}\` no longer holds\n\n- workspace \`${workspace_id}\`\n- collection \`${collection_id}\``,
    );
  };
  show('deleting');
  while (!(await upkeep.removeParts.executeWithOptions({ summary: 'Remove what it no longer holds' }, [args])));
  const settling = { workspace_id, outbox_id: workflowInfo().workflowId };
  await upkeep.settleOutbox.executeWithOptions({ summary: 'Take the deletion off the outbox' }, [settling]);
  show('completed');
}
