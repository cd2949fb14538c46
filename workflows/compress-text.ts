import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
  workflowInfo,
} from '@temporalio/workflow';
import type { CompressArgs, CompressionSteps, CompressOutcome } from '#domain/compression/compression-jobs.ts';
import { TASK_QUEUES } from '#domain/task-queues.ts';
import { showStage } from './search-attributes.ts';

/** Compresses a text window by window; whatever happens, its job ends, and that is announced. */
export async function compressText(args: CompressArgs): Promise<CompressOutcome> {
  const steps = stepsFor(args.workspace_id);
  const job = { ...args, outbox_id: workflowInfo().workflowId };
  const show = (doing: string) =>
    setCurrentDetails(`**${doing}**\n\n- job \`${args.job_id}\`\n- workspace \`${args.workspace_id}\``);
  let outcome: CompressOutcome;
  try {
    showStage('planning');
    show('reading the text');
    const windows = await steps.planCompression.executeWithOptions({ summary: 'Read the text once' }, [args]);
    showStage('compressing');
    for (let next: number | null = 0; next !== null;) {
      show(`compressing: ${next} of ${windows} windows done`);
      const summary = `Windows from ${next + 1} of ${windows}`;
      const slice: number | null = await steps.compressSlice.executeWithOptions({ summary }, [{ ...args, next }]);
      next = slice;
    }
    const summary = 'Put the result together and announce it';
    outcome = await steps.completeCompression.executeWithOptions({ summary }, [job]);
  } catch (error) {
    const failure = reasonOf(error);
    outcome = await CancellationScope.nonCancellable(() =>
      steps.failCompression.executeWithOptions({ summary: 'End the job as failed and announce it' }, [
        { ...job, ...failure },
      ]),
    );
  }
  showStage(outcome.status);
  show(`${outcome.status}: ${outcome.original_tokens ?? '?'} tokens to ${outcome.compressed_tokens ?? '?'}`);
  return outcome;
}

/** Steps are retried without limit while what they need is away; what cannot succeed ends with a non-retryable failure. */
function stepsFor(workspaceId: string) {
  return proxyActivities<CompressionSteps>({
    taskQueue: TASK_QUEUES.compress,
    startToCloseTimeout: '30m',
    heartbeatTimeout: '10s',
    retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s' },
    priority: { fairnessKey: workspaceId },
  });
}

function reasonOf(error: unknown): { code: string; message: string } {
  if (isCancellation(error)) return { code: 'terminated', message: 'An operator ended the workflow.' };
  const cause = error instanceof ActivityFailure ? error.cause : error;
  if (!(cause instanceof ApplicationFailure)) throw error;
  return { code: cause.type ?? 'internal', message: cause.message };
}
