import { continueAsNew, patched, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { ReprojectArgs } from '#domain/uploads/ingest-jobs.ts';
import type { ReprojectCursor, ReprojectSlice } from '#domain/uploads/ingest-steps.ts';
import { upsertStage } from './upsert-stage.ts';
import { activityProxiesFor } from './activity-proxies.ts';

/** `after`: where an earlier execution has ended. */
type ReprojectInput = ReprojectArgs & { after?: ReprojectCursor };

/** Writes changed metadata to the index, so that filters match it. Nothing is embedded again. */
export async function reprojectContents(args: ReprojectInput): Promise<void> {
  const { workspace_id, collection_id, content_ids } = args;
  const { upkeep } = activityProxiesFor(workspace_id);
  upsertStage('reprojecting');
  setCurrentDetails(
    `Updating the filters of ${content_ids.length} contents; nothing is embedded again\n\n- workspace \`${workspace_id}\`\n- collection \`${collection_id}\``,
  );
  const summary = `Update the filters of ${content_ids.length} contents`;
  await reproject({ workspace_id, collection_id, content_ids, after: args.after ?? null }, summary, async (after) => {
    // Each time slice records the ids of all contents: a history has room for those of some hours.
    if (workflowInfo().continueAsNewSuggested && patched('reprojection-continues'))
      await continueAsNew<typeof reprojectContents>({ ...args, after });
  });
  const finished = { workspace_id, outbox_id: workflowInfo().workflowId };
  await upkeep.settleOutbox.executeWithOptions({ summary: 'Complete the outbox row' }, [finished]);
  upsertStage('completed');
}

/** Updates the filters in time slices, so that other work gets its turn and one huge content cannot exceed the timeout. */
async function reproject(
  contents: ReprojectSlice,
  summary: string,
  onSlice?: (after: ReprojectCursor) => Promise<void>,
): Promise<void> {
  const { index } = activityProxiesFor(contents.workspace_id);
  let { after } = contents;
  for (;;) {
    after = await index.reprojectContents.executeWithOptions({ summary }, [{ ...contents, after }]);
    if (!after) return;
    await onSlice?.(after);
  }
}

/** Updates the filters of contents whose metadata changed during their ingestion. */
export async function reprojectStale(
  { workspace_id, collection_id }: { workspace_id: string; collection_id: string },
  contentIds: string[],
): Promise<void> {
  if (contentIds.length === 0) return;
  const summary = `Update the filters of ${contentIds.length} contents that changed during ingestion`;
  await reproject({ workspace_id, collection_id, content_ids: contentIds, after: null }, summary);
}
