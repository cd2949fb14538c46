import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { ensureFirstRun } from '#stack/first-run.ts';
import { prepareNamespace } from '#test/support/fixtures/prepare-namespace.ts';
import { createOwnDatabase } from '#test/support/harness/own-services.ts';
import { startSecondProcess, type SecondProcess } from '#test/support/harness/second-process.ts';
import { testStack } from '#test/support/harness/stack.ts';

/** An API without workers, on a database and a namespace of its own, with a first workspace, key and collection. */
export type OwnInstallation = {
  namespace: string;
  /** What differs from the settings of the stack. */
  environment: Readonly<Record<string, string>>;
  collectionId: string;
  /** Sends a request with the key, and returns the JSON of the response, whatever its status. */
  request: (path: string, sent?: RequestInit) => Promise<unknown>;
  /** Starts a worker, whose log has this name. It may be stopped repeatedly. */
  startWorker: (name: string, settings?: Readonly<Record<string, string>>) => Promise<SecondProcess>;
};

/** Starts the API. Everything that was started stops at the end of the test. */
export async function openOwnInstallation(t: ExecutionContext): Promise<OwnInstallation> {
  const stack = testStack();
  const namespace = `own-installation-${randomUUID()}`;
  await prepareNamespace({ ...stack.temporal, namespace });
  const own = await createOwnDatabase();
  t.teardown(() => own.drop());
  const environment = {
    LOCI_DATABASE_URL: own.url,
    LOCI_BLOB_DIR: join(stack.stateDir, `blobs-of-${namespace}`),
    LOCI_STATE_DIR: join(stack.stateDir, `state-of-${namespace}`),
    LOCI_EMBEDDER: 'lexical',
    LOCI_TEMPORAL_NAMESPACE: namespace,
  };
  const first = await ensureFirstRun({ ...stack.environment, ...environment });
  const start = async (kind: 'api' | 'worker', name: string, settings: Readonly<Record<string, string>>) => {
    const options = { kind, name: `${namespace}-${name}`, environment: { ...environment, ...settings } };
    const started = await startSecondProcess(stack, options);
    let isStopped = false;
    const stop = async () => (isStopped ? 0 : ((isStopped = true), started.stop()));
    t.teardown(async () => void (await stop()));
    return { ...started, stop };
  };
  const api = await start('api', 'api', {});
  return {
    namespace,
    environment,
    collectionId: first.collection_id,
    request: async (path, sent = {}) => {
      const headers = { 'X-API-Key': first.api_key, ...(typeof sent.body === 'string' ? JSON_BODY : {}) };
      return (await fetch(`${api.url}/api/v1${path}`, { ...sent, headers })).json();
    },
    startWorker: (name, settings = {}) => start('worker', name, settings),
  };
}

const JSON_BODY = { 'Content-Type': 'application/json' };
