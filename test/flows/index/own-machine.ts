import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import type { ExecutionContext } from 'ava';
import { z } from 'zod';
import { Collection } from '#domain/records/collection.ts';
import { reembedWorkflowId } from '#domain/index/reembed-job.ts';
import { Reembedding } from '#domain/records/reindexing.ts';
import { lexicalVector, LEXICAL_DIMENSIONS } from '#providers/embedders/lexical-vector.ts';
import { prepareNamespace } from '#test/support/fixtures/prepare-namespace.ts';
import { startOpenAIServer } from '#test/support/servers/openai-server.ts';
import { apiClient } from '#test/support/harness/api-client.ts';
import { openBehindTheApi } from '#test/support/harness/behind-the-api.ts';
import { createOwnDatabase } from '#test/support/harness/own-services.ts';
import { startSecondProcess, type SecondProcess } from '#test/support/harness/second-process.ts';
import { testStack } from '#test/support/harness/stack.ts';

const Created = z.object({ id: z.string(), api_key: z.object({ secret: z.string() }) });

/**
 * An API and a worker with a database and a namespace of Temporal of their own, whose default embedder is a server: `openai/next`,
 * in another space than `lexical` with vectors as good. Weaviate is that of the stack. There is one collection, embedded with
 * `lexical`. The server takes `latency.ms` for each request, and `latency.isAway` lets it refuse all. `settingsFor`: further settings.
 */
export async function openOwnMachine(
  t: ExecutionContext,
  settingsFor: (server: { baseUrl: string }) => Record<string, string> = () => ({}),
) {
  const stack = testStack();
  const own = await createOwnDatabase();
  const latency = { ms: 0, isAway: false };
  const server = await startOpenAIServer(async ({ input, model }) => {
    await sleep(latency.ms);
    if (latency.isAway) return { status: 503 };
    const data = input.map((text, index) => {
      return { object: 'embedding', index, embedding: [...lexicalVector(text)] };
    });
    const usage = { prompt_tokens: 1, total_tokens: 1 };
    return { status: 200, body: { object: 'list', model, data, usage } };
  });
  const work = await mkdtemp(join(tmpdir(), 'loci-machine-'));
  const temporal = { ...stack.temporal, namespace: `machine-${randomUUID()}` };
  await prepareNamespace(temporal);
  let environment: Record<string, string> = {
    LOCI_DATABASE_URL: own.url,
    LOCI_TEMPORAL_NAMESPACE: temporal.namespace,
    LOCI_WORK_DIR: join(work, 'work'),
    LOCI_BLOB_DIR: join(work, 'blobs'),
    LOCI_EMBEDDER: 'openai',
    LOCI_EMBEDDER_MODEL: 'next',
    LOCI_OPENAI_BASE_URL: server.baseUrl,
    LOCI_OPENAI_DIMENSIONS: String(LEXICAL_DIMENSIONS),
    ...settingsFor(server),
  };
  const start = (kind: 'api' | 'worker') => startSecondProcess(stack, { kind, name: `machine-${kind}`, environment });
  const [startedApi, startedWorker] = await Promise.all([start('api'), start('worker')]);
  const processes: Record<'api' | 'worker', SecondProcess> = { api: startedApi, worker: startedWorker };
  const behind = openBehindTheApi({ ...stack, databaseUrl: own.url });
  const connection = await Connection.connect({ address: stack.temporal.address });
  t.teardown(async () => {
    await Promise.all([processes.api.stop(), processes.worker.stop()]);
    await Promise.all([behind.close(), connection.close(), server.close()]);
    await own.drop();
    await rm(work, { recursive: true, force: true });
  });
  const administrator = apiClient({ Authorization: `Bearer ${stack.adminToken}` }, '/api/v1', {
    baseUrl: processes.api.url,
  });
  const made = await administrator.post('/workspaces', Created, { json: { name: 'a machine' }, status: 201 });
  const api = apiClient(made.api_key.secret, '/api/v1', { baseUrl: processes.api.url });
  const collection = await api.post('/collections', Collection, {
    json: { name: 'a collection', embedding: { provider: 'lexical' } },
    status: 201,
  });
  const path = `/collections/${collection.id}/reembed`;
  const workflows = new Client({ connection, namespace: temporal.namespace }).workflow;
  return {
    api,
    behind,
    latency,
    path,
    server,
    workspaceId: made.id,
    collectionId: collection.id,
    read: () => api.get(path, Reembedding),
    /** Ends the wait for searches of the old index. */
    endWait: (reembeddingId: string) => workflows.getHandle(reembedWorkflowId(reembeddingId)).signal('drop_now'),
    /** Ends the workflow as an operator does. */
    terminate: (reembeddingId: string) => workflows.getHandle(reembedWorkflowId(reembeddingId)).terminate(),
    async hasTimer(reembeddingId: string): Promise<boolean> {
      const { events } = await workflows.getHandle(reembedWorkflowId(reembeddingId)).fetchHistory();
      return events?.some(({ timerStartedEventAttributes: timer }) => timer) ?? false;
    },
    get apiUrl() {
      return processes.api.url;
    },
    /** Stops both processes and starts them with other settings. Returns a client of the new API. */
    async restart(settings: Record<string, string>) {
      await Promise.all([processes.api.stop(), processes.worker.stop()]);
      environment = { ...environment, ...settings };
      [processes.api, processes.worker] = await Promise.all([start('api'), start('worker')]);
      return apiClient(made.api_key.secret, '/api/v1', { baseUrl: processes.api.url });
    },
    /** Kills the worker and starts another one. */
    async killWorker() {
      process.kill(processes.worker.pid, 'SIGKILL');
      processes.worker = await start('worker');
    },
  };
}

export type OwnMachine = Awaited<ReturnType<typeof openOwnMachine>>;
