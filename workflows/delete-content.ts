import { patched, setCurrentDetails, sleep, workflowInfo } from '@temporalio/workflow';
import type { DeleteContentArgs } from '#domain/uploads/ingest-jobs.ts';
import { upsertStage } from './upsert-stage.ts';
import { activityProxiesFor } from './activity-proxies.ts';

/**
 * Deletes a content: removes it from the index and the database until neither contains anything of it, then completes the
 * receipt.
 */
export async function deleteContent(args: DeleteContentArgs): Promise<void> {
  const { upkeep } = activityProxiesFor(args.workspace_id);
  upsertStage('deleting');
  const show = (doing: string) =>
    setCurrentDetails(
      `**${doing}**\n\n- content \`${args.content_id}\`\n- workspace \`${args.workspace_id}\`\n` +
        `- collection \`${args.collection_id}\`\n- receipt \`${args.deletion_id}\``,
    );
  const completion = { ...args, outbox_id: workflowInfo().workflowId };
  // Archive entries go first: they are found through this content.
  if (patched('parts-go-first')) {
    show('removing its archive entries');
    while (!(await upkeep.removeParts.executeWithOptions({ summary: 'Remove its archive entries' }, [args])));
  }
  for (let pass = 1; ; pass += 1) {
    show(`removing objects and rows${pass === 1 ? '' : `, pass ${pass}: some data was still found`}`);
    await upkeep.removeFromIndex.executeWithOptions({ summary: 'Remove from the index' }, [args]);
    while (!(await upkeep.removeChunks.executeWithOptions({ summary: 'Remove chunk rows' }, [args])));
    const summary = 'Verify that nothing is left and complete the receipt';
    if (await upkeep.completeDeletion.executeWithOptions({ summary }, [completion])) break;
    await sleep('2s', { summary: 'Some objects were still found in the index' });
  }
  upsertStage('completed');
  show('completed: nothing is left');
}
