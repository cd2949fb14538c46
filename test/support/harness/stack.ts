import { z } from 'zod';
import type { VectorIndexOptions } from '#store/weaviate/connection.ts';
import type { TestSignal } from '#test/support/runner/control-server.ts';

/** What `npm test` passes to the test files about the running stack. */
export const TestStackFacts = z.object({
  baseUrl: z.url(),
  workerUrl: z.url(),
  apiKey: z.string(),
  adminToken: z.string(),
  workspaceId: z.string(),
  collectionId: z.string(),
  temporalUi: z.url(),
  stateDir: z.string(),
  controlUrl: z.url(),
  /** Every `LOCI_` variable that API and worker run with. */
  environment: z.record(z.string(), z.string()),
});
export type TestStackFacts = z.infer<typeof TestStackFacts>;

/** New classes as the running stack creates them. */
export const SERVER_DEFAULTS = { replicationFactor: null, quantization: null } as const;

/** The one local address that the running stack may download from. */
export const DOWNLOAD_ADDRESS = '127.99.0.1';

/** The delays in seconds before each attempt of a webhook in the running stack. */
export const TEST_WEBHOOK_WAITS_S = [0, 0.1, 0.2, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3];

/** The variable that carries the facts, as JSON. */
export const TEST_STACK_VARIABLE = 'LOCI_TEST_STACK';

/** A process of the stack that a test can control. Tests that stop one belong in `test/faults`, which runs serially. */
export type StackProcess = {
  pid(): Promise<number | null>;
  /** Sends a signal: kill (SIGKILL), graceful shutdown (SIGTERM), pause (SIGSTOP) or continue (SIGCONT). */
  signal(signal: TestSignal): Promise<void>;
  /** Starts it with the same ports and data and waits until it is ready. Does nothing if it is running. */
  start(): Promise<void>;
  stop(): Promise<void>;
};

export type TestStack = Omit<TestStackFacts, 'controlUrl'> & {
  /** As the owner of the tables. */
  databaseUrl: string;
  temporal: { address: string; namespace: string };
  weaviate: Omit<VectorIndexOptions, 'timeoutMs'> & { apiKey: string };
  processes: Readonly<Record<'api' | 'worker' | 'postgres' | 'temporal' | 'weaviate', StackProcess>>;
};

/** The running stack. @throws Error when the test file was not started by `npm test` */
export function testStack(): TestStack {
  const text = process.env[TEST_STACK_VARIABLE];
  if (text === undefined)
    throw new Error('This test needs the running stack: start it with `npm test -- <this file>`.');
  const { controlUrl, ...facts } = TestStackFacts.parse(JSON.parse(text));
  const setting = (name: string) => facts.environment[name] ?? '';
  const controlled = (name: string) => stackProcess(`${controlUrl}/${name}`);
  return {
    ...facts,
    databaseUrl: setting('LOCI_MIGRATION_DATABASE_URL'),
    temporal: { address: setting('LOCI_TEMPORAL_ADDRESS'), namespace: setting('LOCI_TEMPORAL_NAMESPACE') },
    weaviate: {
      url: setting('LOCI_WEAVIATE_URL'),
      grpc: setting('LOCI_WEAVIATE_GRPC'),
      apiKey: setting('LOCI_WEAVIATE_API_KEY'),
      classes: SERVER_DEFAULTS,
    },
    processes: {
      api: controlled('api'),
      worker: controlled('worker'),
      postgres: controlled('postgres'),
      temporal: controlled('temporal'),
      weaviate: controlled('weaviate'),
    },
  };
}

function stackProcess(url: string): StackProcess {
  return {
    pid: () => call('GET', url),
    async signal(signal) {
      await call('POST', `${url}/signal/${signal}`);
    },
    async start() {
      await call('POST', `${url}/start`);
    },
    async stop() {
      await call('POST', `${url}/stop`);
    },
  };
}

const Answer = z.union([z.object({ pid: z.number().nullable() }), z.object({ message: z.string() })]);

async function call(method: string, url: string): Promise<number | null> {
  const response = await fetch(url, { method });
  const answer = Answer.parse(await response.json());
  if ('message' in answer) throw new Error(answer.message);
  return answer.pid;
}
