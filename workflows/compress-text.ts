import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  isCancellation,
  setCurrentDetails,
  workflowInfo,
} from '@temporalio/workflow';
import type { CompressArgs, CompressOutcome } from '#domain/compression/compression-jobs.ts';
import { activityProxiesFor } from './activity-proxies.ts';
import { upsertStage } from './upsert-stage.ts';

/** Compresses a text window by window. The job always ends, as completed or failed, and its webhook event is always written. */
export async function compressText(args: CompressArgs): Promise<CompressOutcome> {
  const { compress } = activityProxiesFor(args.workspace_id);
  const job = { ...args, outbox_id: workflowInfo().workflowId };
  const show = (doing: string) =>
    setCurrentDetails(`**${doing}**\n\n- job \`${args.job_id}\`\n- workspace \`${args.workspace_id}\``);
  let outcome: CompressOutcome;
  try {
    upsertStage('planning');
    show('reading the text');
    const windows = await compress.planCompression.executeWithOptions({ summary: 'Plan the windows' }, [args]);
    upsertStage('compressing');
    for (let next: number | null = 0; next !== null;) {
      show(`compressing: ${next} of ${windows} windows done`);
      const summary = `Windows from ${next + 1} of ${windows}`;
      const following: number | null = await compress.compressSlice.executeWithOptions({ summary }, [
        { ...args, next },
      ]);
      next = following;
    }
    const summary = 'Assemble the result and announce it';
    outcome = await compress.completeCompression.executeWithOptions({ summary }, [job]);
  } catch (error) {
    const failure = failureOf(error);
    outcome = await CancellationScope.nonCancellable(() =>
      compress.failCompression.executeWithOptions({ summary: 'Fail the job and announce it' }, [
        { ...job, ...failure },
      ]),
    );
  }
  upsertStage(outcome.status);
  show(`${outcome.status}: ${outcome.original_tokens ?? '?'} tokens to ${outcome.compressed_tokens ?? '?'}`);
  return outcome;
}

function failureOf(error: unknown): { code: string; message: string } {
  if (isCancellation(error)) return { code: 'terminated', message: 'An operator ended the workflow.' };
  const cause = error instanceof ActivityFailure ? error.cause : error;
  if (!(cause instanceof ApplicationFailure)) throw error;
  return { code: cause.type ?? 'internal', message: cause.message };
}
