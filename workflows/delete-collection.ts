import { setCurrentDetails, sleep, workflowInfo } from '@temporalio/workflow';
import type { DeleteCollectionArgs } from '#domain/collections/collection-deletion.ts';
import { showStage } from './search-attributes.ts';
import { stepsFor } from './steps.ts';

/**
 * Removes a collection: first every run in it is ended, so that nothing writes to it any more, then its index goes, then its
 * rows, until a look at both finds nothing. Contents that are in another collection as well live on there.
 */
export async function deleteCollection(args: DeleteCollectionArgs): Promise<void> {
  const { upkeep } = stepsFor(args.workspace_id);
  const show = (doing: string) =>
    setCurrentDetails(
      `**${doing}**\n\n- collection \`${args.collection_id}\`\n- workspace \`${args.workspace_id}\`\n- receipt \`${args.deletion_id}\``,
    );
  const completion = { ...args, outbox_id: workflowInfo().workflowId };
  showStage('deleting');
  show('ending what is under way');
  let after: string | null = null;
  do {
    after = await upkeep.endCollectionRuns.executeWithOptions({ summary: 'End the runs of its contents' }, [
      { ...args, after },
    ]);
  } while (after !== null);
  for (let pass = 1; ; pass += 1) {
    const again = pass === 1 ? '' : `, pass ${pass}: something was still found`;
    show(`removing from the index${again}`);
    await upkeep.dropCollectionIndex.executeWithOptions({ summary: 'Drop its index' }, [args]);
    show(`removing rows${again}`);
    while (!(await upkeep.removeCollectionRows.executeWithOptions({ summary: 'Remove contents and chunks' }, [args])));
    const summary = 'Look for what is left; complete the receipt when that is nothing';
    if (await upkeep.completeCollectionDeletion.executeWithOptions({ summary }, [completion])) break;
    await sleep('2s', { summary: 'Something was still found' });
  }
  showStage('completed');
  show('completed: nothing of it was found any more');
}
