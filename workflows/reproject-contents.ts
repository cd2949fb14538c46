import { setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { ReprojectArgs } from '../domain/ingest-jobs.ts';
import { showStage } from './search-attributes.ts';
import { stepsFor } from './steps.ts';

/** Brings changed metadata into the index, so that filters find contents by it. Nothing is embedded again. */
export async function reprojectContents(args: ReprojectArgs): Promise<void> {
  const { workspace_id, collection_id, content_ids } = args;
  const { index, upkeep } = stepsFor(workspace_id);
  showStage('reprojecting');
  setCurrentDetails(`${content_ids.length} contents of collection \`${collection_id}\``);
  await index.reprojectContents({ workspace_id, collection_id, content_ids });
  await upkeep.settleOutbox({ workspace_id, outbox_id: workflowInfo().workflowId });
  showStage('settled');
}
