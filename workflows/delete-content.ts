import { patched, setCurrentDetails, sleep, workflowInfo } from '@temporalio/workflow';
import type { DeleteContentArgs } from '#domain/uploads/ingest-jobs.ts';
import { showStage } from './search-attributes.ts';
import { stepsFor } from './steps.ts';

/** Removes a content from index and rows until a count of both finds nothing, then completes the receipt. */
export async function deleteContent(args: DeleteContentArgs): Promise<void> {
  const { upkeep } = stepsFor(args.workspace_id);
  showStage('deleting');
  const show = (doing: string) =>
    setCurrentDetails(
      `**${doing}**\n\n- content \`${args.content_id}\`\n- workspace \`${args.workspace_id}\`\n` +
        `- collection \`${args.collection_id}\`\n- receipt \`${args.deletion_id}\``,
    );
  const completion = { ...args, outbox_id: workflowInfo().workflowId };
  // What came out of it goes first: by it they are found.
  if (patched('parts-go-first')) {
    show('removing what came out of it');
    while (!(await upkeep.removeParts.executeWithOptions({ summary: 'Remove what came out of it' }, [args])));
  }
  for (let pass = 1; ; pass += 1) {
    show(`removing from index and rows${pass === 1 ? '' : `, pass ${pass}: something was still found`}`);
    await upkeep.removeFromIndex.executeWithOptions({ summary: 'Remove from the index' }, [args]);
    while (!(await upkeep.removeChunks.executeWithOptions({ summary: 'Remove chunk rows' }, [args])));
    const summary = 'Count what is left; complete the receipt when that is nothing';
    if (await upkeep.completeDeletion.executeWithOptions({ summary }, [completion])) break;
    await sleep('2s', { summary: 'Something was still found in the index' });
  }
  showStage('completed');
  show('completed: nothing of it was found any more');
}
