import { setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { DeleteContentArgs } from '#domain/uploads/ingest-jobs.ts';
import { upsertStage } from './upsert-stage.ts';
import { activityProxiesFor } from './activity-proxies.ts';

/** Deletes the archive entries that the current version of their archive or e-mail no longer contains. */
export async function deleteParts(args: DeleteContentArgs): Promise<void> {
  const { workspace_id, collection_id, content_id } = args;
  const { upkeep } = activityProxiesFor(workspace_id);
  const show = (stage: string) => {
    upsertStage(stage);
    setCurrentDetails(
      `**${stage}**: entries that content \`${content_id}\` no longer contains\n\n- workspace \`${workspace_id}\`\n- collection \`${collection_id}\``,
    );
  };
  show('deleting');
  while (
    !(await upkeep.removeParts.executeWithOptions({ summary: 'Remove entries that it no longer contains' }, [args]))
  );
  const finished = { workspace_id, outbox_id: workflowInfo().workflowId };
  await upkeep.settleOutbox.executeWithOptions({ summary: 'Complete the outbox row of the deletion' }, [finished]);
  show('completed');
}
