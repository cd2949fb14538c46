import type * as TemporalClient from '@temporalio/client';
import type { Client, Connection, WorkflowClientInterceptor, WorkflowHandle } from '@temporalio/client';
import type { DataConverter } from '@temporalio/common';
import { AppError } from '#domain/app-error.ts';
import type { JobStart, JobState, Jobs } from '#domain/jobs.ts';
import type { QueueBacklog } from '#domain/task-queues.ts';
import type { TemporalConnection } from './temporal-connection.ts';

export type JobsOptions = {
  connection: TemporalConnection;
  namespace: string;
  dataConverter: DataConverter;
  /** Measures the task queues. */
  queueBacklogs: (server: { connection: Connection; namespace: string }) => Promise<QueueBacklog[]>;
  /** Called around every start and signal. */
  interceptors?: readonly WorkflowClientInterceptor[];
};

/** Deadline of a call. By default a lazy connection waits up to 20 s for a server that is down. */
const DEADLINE_MS = 2_000;

type Server = { sdk: typeof TemporalClient; connection: Connection; client: Client };

/** Returns `Jobs` over the Temporal client. Before the first call, nothing connects, and the client is not even loaded. */
export function createJobs(options: JobsOptions): Jobs {
  const { namespace } = options;
  let opened: Promise<Server> | null = null;
  const openCalls = new Set<Promise<unknown>>();
  const closing = new AbortController();
  const open = async (): Promise<Server> => {
    closing.signal.throwIfAborted();
    opened ??= openServer(options).catch((error: unknown) => {
      opened = null;
      throw error;
    });
    return opened;
  };
  const call = async <Result>(request: (server: Server) => Promise<Result>): Promise<Result> => {
    const calling = callWithDeadline(open, request);
    openCalls.add(calling);
    try {
      return await calling;
    } finally {
      openCalls.delete(calling);
    }
  };
  const startOrJoin = (job: JobStart) =>
    call(async ({ client, connection }) => {
      const handle = await client.workflow.start(job.workflow_type, joiningOptions(job));
      return { handle, connection };
    });
  return {
    startOrJoin: async (job) => void (await startOrJoin(job)),
    join: async (job, waitMs) => {
      const { handle, connection } = await startOrJoin(job);
      const waiting = resultWithin(connection, handle, AbortSignal.any([closing.signal, AbortSignal.timeout(waitMs)]));
      openCalls.add(waiting);
      return waiting.finally(() => openCalls.delete(waiting));
    },
    start: (job) =>
      call(async ({ sdk, client }) => {
        try {
          await client.workflow.start(job.workflow_type, startOptions(job));
        } catch (error) {
          if (!(error instanceof sdk.WorkflowExecutionAlreadyStartedError)) throw error;
        }
      }),
    signal: (workflowId, signal) =>
      call(async ({ sdk, client }) => {
        try {
          await client.workflow.getHandle(workflowId).signal(signal);
        } catch (error) {
          // The workflow has ended or is deleted, so there is nothing to wake; the rows hold the state.
          if (!(error instanceof sdk.WorkflowNotFoundError)) throw error;
        }
      }),
    terminate: (workflowId, reason) =>
      call(async ({ sdk, client }) => {
        try {
          await client.workflow.getHandle(workflowId).terminate(reason);
        } catch (error) {
          if (!(error instanceof sdk.WorkflowNotFoundError)) throw error;
        }
      }),
    running: (workspaceId, { exceptType, limit }) =>
      call(async ({ client }) => {
        const query = `LociWorkspace = '${workspaceId}' and ExecutionStatus = 'Running' and WorkflowType != '${exceptType}'`;
        const { executions } = await client.workflowService.listWorkflowExecutions({
          namespace,
          query,
          pageSize: limit,
        });
        return executions.flatMap(({ execution }) => execution?.workflowId ?? []);
      }),
    state: (workflowId) => call((server) => stateOf(server, workflowId)),
    ping: () =>
      call(async ({ client }) => {
        await client.workflowService.getSystemInfo({});
      }),
    serverVersion: () => call(async ({ client }) => (await client.workflowService.getSystemInfo({})).serverVersion),
    backlogs: () => call(({ connection }) => options.queueBacklogs({ connection, namespace })),
    close: async () => {
      closing.abort();
      // A retry on a closed connection would throw where nothing can catch it. All calls end within their deadline.
      await Promise.allSettled(openCalls);
      await opened?.then(
        ({ connection }) => connection.close(),
        () => undefined,
      );
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
    ...(job.memo ? { memo: job.memo } : {}),
    searchAttributes: searchAttributesOf(job),
    priority: { fairnessKey: job.workspace_id },
  };
}

/** Options for work that runs once at a time: a second request joins the running workflow, a later one starts a new one. */
function joiningOptions(job: JobStart) {
  return {
    ...startOptions(job),
    workflowIdReusePolicy: 'ALLOW_DUPLICATE' as const,
    workflowIdConflictPolicy: 'USE_EXISTING' as const,
  };
}

/** Waits for the result; null when the signal aborts first. */
async function resultWithin(
  connection: Connection,
  handle: WorkflowHandle,
  signal: AbortSignal,
): Promise<{ result: unknown } | null> {
  try {
    return { result: await connection.withAbortSignal(signal, () => handle.result()) };
  } catch (error) {
    if (signal.aborted) return null;
    throw new AppError('dependency_unavailable', 'The work was ended before it was complete; try again shortly.', {
      cause: error,
      retryAfterS: 5,
    });
  }
}

/** Search attributes by which operators filter workflows in the Temporal UI. */
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

async function stateOf({ sdk, client }: Server, workflowId: string): Promise<JobState> {
  try {
    const { status } = await client.workflow.getHandle(workflowId).describe();
    if (status.name === 'RUNNING' || status.name === 'CONTINUED_AS_NEW' || status.name === 'PAUSED') return 'running';
    return status.name === 'COMPLETED' ? 'completed' : 'failed';
  } catch (error) {
    if (error instanceof sdk.WorkflowNotFoundError) return 'not_found';
    throw error;
  }
}

/** Loading the client takes a tenth of a second, which a process that asks nothing of Temporal saves. */
async function openServer({ namespace, dataConverter, interceptors = [], ...options }: JobsOptions): Promise<Server> {
  const sdk = await import('@temporalio/client');
  const connection = sdk.Connection.lazy({ ...options.connection, connectTimeout: DEADLINE_MS });
  const client = new sdk.Client({
    connection,
    namespace,
    dataConverter,
    interceptors: { workflow: [...interceptors] },
  });
  return { sdk, connection, client };
}

async function callWithDeadline<Result>(
  open: () => Promise<Server>,
  request: (server: Server) => Promise<Result>,
): Promise<Result> {
  try {
    const server = await open();
    return await server.connection.withDeadline(Date.now() + DEADLINE_MS, () => request(server));
  } catch (error) {
    throw new AppError('dependency_unavailable', 'Temporal does not answer.', { cause: error, retryAfterS: 2 });
  }
}
