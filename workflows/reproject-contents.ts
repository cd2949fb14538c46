import { setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { ReprojectArgs } from '#domain/uploads/ingest-jobs.ts';
import type { ReprojectCursor, ReprojectSlice } from '#domain/uploads/ingest-steps.ts';
import { showStage } from './search-attributes.ts';
import { stepsFor } from './steps.ts';

/** Brings changed metadata into the index, so that filters find contents by it. Nothing is embedded again. */
export async function reprojectContents(args: ReprojectArgs): Promise<void> {
  const { workspace_id, collection_id, content_ids } = args;
  const { upkeep } = stepsFor(workspace_id);
  showStage('reprojecting');
  setCurrentDetails(
    `Filters of ${content_ids.length} contents, nothing is embedded again\n\n- workspace \`${workspace_id}\`\n- collection \`${collection_id}\``,
  );
  const summary = `Update the filters of ${content_ids.length} contents`;
  await reproject({ workspace_id, collection_id, content_ids }, summary);
  const settling = { workspace_id, outbox_id: workflowInfo().workflowId };
  await upkeep.settleOutbox.executeWithOptions({ summary: 'Take the work off the outbox' }, [settling]);
  showStage('completed');
}

/** Updates the filters slice by slice, so that others get their turn, and one huge content comes to its end. */
export async function reproject(contents: Omit<ReprojectSlice, 'after'>, summary: string): Promise<void> {
  const { index } = stepsFor(contents.workspace_id);
  let after: ReprojectCursor | null = null;
  do {
    after = await index.reprojectContents.executeWithOptions({ summary }, [{ ...contents, after }]);
  } while (after);
}
