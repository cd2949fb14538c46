import { continueAsNew, setCurrentDetails, sleep, workflowInfo } from '@temporalio/workflow';
import type { ForgetUserArgs } from '#domain/memories/user-deletion.ts';
import { upsertStage } from '#workflows/upsert-stage.ts';
import { activityProxiesFor } from '#workflows/activity-proxies.ts';

const MAX_PAUSE_MS = 10 * 60_000;

/**
 * Deletes the memories of a user, rows first, until neither rows nor index objects are left; then completes the receipt.
 * `pass`: the first one of an execution that was continued.
 */
export async function forgetUser({ pass: first = 1, ...args }: ForgetUserArgs & { pass?: number }): Promise<void> {
  const { upkeep } = activityProxiesFor(args.workspace_id);
  const show = (doing: string) =>
    setCurrentDetails(`**${doing}**\n\n- workspace \`${args.workspace_id}\`\n- receipt \`${args.deletion_id}\``);
  const completion = { ...args, outbox_id: workflowInfo().workflowId };
  upsertStage('deleting');
  for (let pass = first; ; pass += 1) {
    show(`removing memories${pass === 1 ? '' : `, pass ${pass}: some data was still found`}`);
    while (!(await upkeep.removeUserMemories.executeWithOptions({ summary: 'Remove memories' }, [args])));
    let after: string | null = null;
    do {
      after = await upkeep.removeUserObjects.executeWithOptions({ summary: 'Remove from the index' }, [
        { ...args, after },
      ]);
    } while (after !== null);
    const summary = 'Verify that nothing is left and complete the receipt';
    if (await isVerified(args)) {
      if (await upkeep.completeUserDeletion.executeWithOptions({ summary }, [completion])) break;
    }
    await sleep(Math.min(2 ** pass * 1_000, MAX_PAUSE_MS), { summary: 'Some data was still found' });
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof forgetUser>({ ...args, pass: pass + 1 });
  }
  upsertStage('completed');
  show('completed: nothing is left');
}

async function isVerified(args: ForgetUserArgs): Promise<boolean> {
  const { upkeep } = activityProxiesFor(args.workspace_id);
  let after: string | null = null;
  do {
    const step: { after: string | null; isAny: boolean } = await upkeep.verifyUserObjects.executeWithOptions(
      { summary: 'Count what is left in the index' },
      [{ ...args, after }],
    );
    if (step.isAny) return false;
    after = step.after;
  } while (after !== null);
  return true;
}
