import { setCurrentDetails, sleep, workflowInfo } from '@temporalio/workflow';
import type { DeleteWorkspaceArgs, DroppedTenantKey } from '#domain/workspaces/workspace-deletion.ts';
import { upsertStage } from './upsert-stage.ts';
import { activityProxiesFor } from './activity-proxies.ts';

/**
 * Deletes a workspace: ends its workflows, then removes its rows and files, without which any work that still runs cannot write,
 * then drops its indexes. Repeats all of it until nothing is left.
 */
export async function deleteWorkspace(args: DeleteWorkspaceArgs): Promise<void> {
  const { upkeep } = activityProxiesFor(args.workspace_id);
  const show = (doing: string) =>
    setCurrentDetails(`**${doing}**\n\n- workspace \`${args.workspace_id}\`\n- receipt \`${args.deletion_id}\``);
  const completion = { ...args, outbox_id: workflowInfo().workflowId };
  upsertStage('deleting');
  for (let pass = 1; ; pass += 1) {
    const again = pass === 1 ? '' : `, pass ${pass}: some data was still found`;
    show(`ending workflows${again}`);
    while (!(await upkeep.endWorkspaceWork.executeWithOptions({ summary: 'End its workflows' }, [args])));
    while (!(await upkeep.giveUpIndex.executeWithOptions({ summary: 'Count the objects in its indexes' }, [args])));
    show(`removing rows and files${again}`);
    while (!(await upkeep.removeWorkspaceRows.executeWithOptions({ summary: 'Remove rows and files' }, [args])));
    show(`dropping indexes${again}`);
    let after: DroppedTenantKey | null = null;
    do {
      after = await upkeep.dropGivenUp.executeWithOptions({ summary: 'Drop its indexes' }, [{ ...args, after }]);
    } while (after !== null);
    const summary = 'Verify that nothing is left and complete the receipt';
    if (await upkeep.completeWorkspaceDeletion.executeWithOptions({ summary }, [completion])) break;
    await sleep('2s', { summary: 'Some data was still found' });
  }
  upsertStage('completed');
  show('completed: nothing is left');
}
