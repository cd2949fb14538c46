import {
  CancellationScope,
  ParentClosePolicy,
  isCancellation,
  startChild,
  workflowInfo,
  type ChildWorkflowHandle,
} from '@temporalio/workflow';
import { batchWorkflowId, type RunKey } from '#domain/uploads/ingest-jobs.ts';
import { NO_OUTCOME, groupFailures, type BatchOutcome, type BatchPlan } from '#domain/uploads/ingest-outcomes.ts';
import { ingestBatch } from './ingest-batch.ts';
import { stepsFor } from './steps.ts';

export type BatchChild = ChildWorkflowHandle<typeof ingestBatch>;

export type StartedBatch = BatchPlan['batches'][number] & {
  number: number;
  uploadId: string;
  /** For the list in the Temporal UI. */
  summary: string;
  onStart: (child: BatchChild) => void;
};

/** Runs a batch as a workflow of its own. One that an operator ends fails its contents, not what started it. */
export async function runBatch(run: RunKey, batch: StartedBatch): Promise<BatchOutcome> {
  const { workspace_id, run_id } = run;
  const { number, content_ids, downloads, onStart, summary } = batch;
  try {
    const child = await startChild(ingestBatch, {
      workflowId: batchWorkflowId(run_id, number),
      args: [{ ...run, upload_id: batch.uploadId, content_ids, downloads, outbox_id: null }],
      parentClosePolicy: ParentClosePolicy.TERMINATE,
      staticSummary: summary,
      typedSearchAttributes: workflowInfo().typedSearchAttributes,
      priority: { fairnessKey: workspace_id },
    });
    onStart(child);
    return await child.result();
  } catch (error) {
    // A batch that alone was cancelled is one that was ended; only the cancellation of what started it ends that.
    if (isCancellation(error) && CancellationScope.current().consideredCancelled) throw error;
    const { upkeep } = stepsFor(workspace_id);
    const message = 'An operator ended the workflow of this batch; retry to start again.';
    const code = 'terminated';
    const failure = { ...run, content_ids, code, message };
    await upkeep.failContents.executeWithOptions({ summary: `End batch ${number + 1} as failed: ${code}` }, [failure]);
    const failures = groupFailures(content_ids.map((content_id) => ({ content_id, code })));
    return { ...NO_OUTCOME, failed: content_ids.length, failures };
  }
}
