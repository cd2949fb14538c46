import { Client, Connection, WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client';
import type { WorkflowHandle } from '@temporalio/client';
import { AppError } from '#domain/app-error.ts';
import type { JobStart, JobState, Jobs } from '#domain/jobs.ts';

export type JobsOptions = { address: string; namespace: string };

/** A lazy connection waits up to 20 s for a server that is down; a caller has better things to do. */
const DEADLINE_MS = 2_000;

/** Starts and reaches workflows over the Temporal client. Nothing connects before the first call. */
export function createJobs(options: JobsOptions): Jobs {
  const connection = Connection.lazy({ address: options.address, connectTimeout: DEADLINE_MS });
  const client = new Client({ connection, namespace: options.namespace });
  const underWay = new Set<Promise<unknown>>();
  const closing = new AbortController();
  const reach = async <Result>(call: () => Promise<Result>): Promise<Result> => {
    const calling = reachWithin(connection, call);
    underWay.add(calling);
    try {
      return await calling;
    } finally {
      underWay.delete(calling);
    }
  };
  const begin = (job: JobStart) => reach(() => client.workflow.start(job.workflow_type, joiningOptions(job)));
  return {
    startOrJoin: async (job) => void (await begin(job)),
    join: async (job, waitMs) => {
      const handle = await begin(job);
      const waiting = resultWithin(connection, handle, AbortSignal.any([closing.signal, AbortSignal.timeout(waitMs)]));
      underWay.add(waiting);
      return waiting.finally(() => underWay.delete(waiting));
    },
    start: (job) =>
      reach(async () => {
        try {
          await client.workflow.start(job.workflow_type, startOptions(job));
        } catch (error) {
          if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
        }
      }),
    signal: (workflowId, signal) =>
      reach(async () => {
        try {
          await client.workflow.getHandle(workflowId).signal(signal);
        } catch (error) {
          // Gone or ended: row state decides, and there is nobody to wake.
          if (!(error instanceof WorkflowNotFoundError)) throw error;
        }
      }),
    terminate: (workflowId, reason) =>
      reach(async () => {
        try {
          await client.workflow.getHandle(workflowId).terminate(reason);
        } catch (error) {
          if (!(error instanceof WorkflowNotFoundError)) throw error;
        }
      }),
    running: (workspaceId, { exceptType, limit }) =>
      reach(async () => {
        const query = `LociWorkspace = '${workspaceId}' and ExecutionStatus = 'Running' and WorkflowType != '${exceptType}'`;
        const { executions } = await client.workflowService.listWorkflowExecutions({
          namespace: options.namespace,
          query,
          pageSize: limit,
        });
        return executions.flatMap(({ execution }) => execution?.workflowId ?? []);
      }),
    state: (workflowId) => reach(() => stateOf(client, workflowId)),
    ping: () =>
      reach(async () => {
        await client.workflowService.getSystemInfo({});
      }),
    close: async () => {
      closing.abort();
      // A retry that finds its connection closed would throw where nobody can catch it. All end within their deadline.
      await Promise.allSettled(underWay);
      await connection.close();
    },
  };
}

function startOptions(job: JobStart) {
  return {
    workflowId: job.workflow_id,
    taskQueue: job.task_queue,
    args: [job.args],
    workflowIdReusePolicy: 'REJECT_DUPLICATE' as const,
    workflowIdConflictPolicy: 'FAIL' as const,
    staticSummary: job.summary,
    searchAttributes: searchAttributesOf(job),
    priority: { fairnessKey: job.workspace_id },
  };
}

/** For works of which there is one at a time, whoever asks for it, and another one later. */
function joiningOptions(job: JobStart) {
  return {
    ...startOptions(job),
    workflowIdReusePolicy: 'ALLOW_DUPLICATE' as const,
    workflowIdConflictPolicy: 'USE_EXISTING' as const,
  };
}

/** Null when the signal comes first. */
async function resultWithin(
  connection: Connection,
  handle: WorkflowHandle,
  signal: AbortSignal,
): Promise<{ result: unknown } | null> {
  try {
    return { result: await connection.withAbortSignal(signal, () => handle.result()) };
  } catch (error) {
    if (signal.aborted) return null;
    throw new AppError('dependency_unavailable', 'The work did not come to its end; try again shortly.', {
      cause: error,
      retryAfterS: 5,
    });
  }
}

/** What operators filter lists by in the Temporal UI. */
function searchAttributesOf(job: JobStart): Record<string, string[] | number[]> {
  const args: Record<string, unknown> = typeof job.args === 'object' && job.args !== null ? { ...job.args } : {};
  const { collection_id: collectionId, upload_id: uploadId, content_ids: contentIds, contents } = args;
  const count = typeof contents === 'number' ? contents : Array.isArray(contentIds) ? contentIds.length : 1;
  return {
    LociWorkspace: [job.workspace_id],
    LociStage: ['pending'],
    LociContents: [count],
    ...(typeof collectionId === 'string' ? { LociCollection: [collectionId] } : {}),
    ...(typeof uploadId === 'string' ? { LociUpload: [uploadId] } : {}),
  };
}

async function stateOf(client: Client, workflowId: string): Promise<JobState> {
  try {
    const { status } = await client.workflow.getHandle(workflowId).describe();
    if (status.name === 'RUNNING' || status.name === 'CONTINUED_AS_NEW' || status.name === 'PAUSED') return 'running';
    return status.name === 'COMPLETED' ? 'completed' : 'failed';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return 'not_found';
    throw error;
  }
}

async function reachWithin<Result>(connection: Connection, call: () => Promise<Result>): Promise<Result> {
  try {
    return await connection.withDeadline(Date.now() + DEADLINE_MS, call);
  } catch (error) {
    throw new AppError('dependency_unavailable', 'Temporal does not answer.', { cause: error, retryAfterS: 2 });
  }
}
