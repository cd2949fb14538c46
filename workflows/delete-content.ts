import { setCurrentDetails, sleep, workflowInfo } from '@temporalio/workflow';
import type { DeleteContentArgs } from '../domain/ingest-jobs.ts';
import { showStage } from './search-attributes.ts';
import { stepsFor } from './steps.ts';

/** Removes a content from index and rows until a count of both finds nothing, then completes the receipt. */
export async function deleteContent(args: DeleteContentArgs): Promise<void> {
  const { upkeep } = stepsFor(args.workspace_id);
  showStage('deleting');
  setCurrentDetails(
    `Content \`${args.content_id}\` of collection \`${args.collection_id}\`, receipt \`${args.deletion_id}\``,
  );
  for (;;) {
    await upkeep.removeFromIndex(args);
    while (!(await upkeep.removeChunks(args)));
    if (await upkeep.completeDeletion({ ...args, outbox_id: workflowInfo().workflowId })) break;
    await sleep('2s');
  }
  showStage('settled');
}
