import { setCurrentDetails, sleep, workflowInfo } from '@temporalio/workflow';
import type { DeleteCollectionArgs } from '#domain/collections/collection-deletion.ts';
import { upsertStage } from './upsert-stage.ts';
import { activityProxiesFor } from './activity-proxies.ts';

/**
 * Deletes a collection: ends every run in it, so that nothing writes to it any more, then drops its index, then removes its rows.
 * Repeats the last two until neither contains anything of it. Contents that are also in another collection stay there.
 */
export async function deleteCollection(args: DeleteCollectionArgs): Promise<void> {
  const { upkeep } = activityProxiesFor(args.workspace_id);
  const show = (doing: string) =>
    setCurrentDetails(
      `**${doing}**\n\n- collection \`${args.collection_id}\`\n- workspace \`${args.workspace_id}\`\n- receipt \`${args.deletion_id}\``,
    );
  const completion = { ...args, outbox_id: workflowInfo().workflowId };
  upsertStage('deleting');
  show('ending runs in progress');
  let after: string | null = null;
  do {
    after = await upkeep.endCollectionRuns.executeWithOptions({ summary: 'End the runs of the contents' }, [
      { ...args, after },
    ]);
  } while (after !== null);
  for (let pass = 1; ; pass += 1) {
    const again = pass === 1 ? '' : `, pass ${pass}: some data was still found`;
    show(`removing from the index${again}`);
    await upkeep.dropCollectionIndex.executeWithOptions({ summary: 'Drop the index' }, [args]);
    show(`removing rows${again}`);
    while (!(await upkeep.removeCollectionRows.executeWithOptions({ summary: 'Remove contents and chunks' }, [args])));
    const summary = 'Verify that nothing is left and complete the receipt';
    if (await upkeep.completeCollectionDeletion.executeWithOptions({ summary }, [completion])) break;
    await sleep('2s', { summary: 'Some data was still found' });
  }
  upsertStage('completed');
  show('completed: nothing is left');
}
