import { setCurrentDetails, sleep, workflowInfo } from '@temporalio/workflow';
import type { DeleteWorkspaceArgs, GivenUp } from '#domain/workspaces/workspace-deletion.ts';
import { showStage } from './search-attributes.ts';
import { stepsFor } from './steps.ts';

/**
 * Removes a workspace: first whatever works for it is ended, then rows and files go, which whatever is still under way
 * needs to write anything, then the index, until a look at all of it finds nothing.
 */
export async function deleteWorkspace(args: DeleteWorkspaceArgs): Promise<void> {
  const { upkeep } = stepsFor(args.workspace_id);
  const show = (doing: string) =>
    setCurrentDetails(`**${doing}**\n\n- workspace \`${args.workspace_id}\`\n- receipt \`${args.deletion_id}\``);
  const completion = { ...args, outbox_id: workflowInfo().workflowId };
  showStage('deleting');
  for (let pass = 1; ; pass += 1) {
    const again = pass === 1 ? '' : `, pass ${pass}: something was still found`;
    show(`ending what is under way${again}`);
    while (!(await upkeep.endWorkspaceWork.executeWithOptions({ summary: 'End its workflows' }, [args])));
    while (!(await upkeep.giveUpIndex.executeWithOptions({ summary: 'Count what is in its indexes' }, [args])));
    show(`removing rows and files${again}`);
    while (!(await upkeep.removeWorkspaceRows.executeWithOptions({ summary: 'Remove rows and files' }, [args])));
    show(`dropping indexes${again}`);
    let after: GivenUp | null = null;
    do {
      after = await upkeep.dropGivenUp.executeWithOptions({ summary: 'Drop its indexes' }, [{ ...args, after }]);
    } while (after !== null);
    const summary = 'Look for what is left; complete the receipt when that is nothing';
    if (await upkeep.completeWorkspaceDeletion.executeWithOptions({ summary }, [completion])) break;
    await sleep('2s', { summary: 'Something was still found' });
  }
  showStage('completed');
  show('completed: nothing of it was found any more');
}
