import { randomBytes } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type RunningStack, startLocalStack } from '#stack/local-stack.ts';
import {
  createLociServices,
  type LociServices,
  migrate,
  operatedByFirst,
  prepareFirstRun,
} from '#stack/loci-services.ts';
import { readLogTail } from '#stack/processes/process-log.ts';
import { timedStep } from '#stack/timed-step.ts';
import { compiledCodeFolder } from './compiled-code.ts';
import { startControlServer } from './control-server.ts';
import { FILE_TIMES_VARIABLE } from './file-times.ts';
import { DOWNLOAD_ADDRESS, TEST_WEBHOOK_WAITS_S, type TestStackFacts } from '#test/support/harness/stack.ts';

/** Settings of the shell that are passed on to a test run: where programs are found, never where data is stored. */
const PASSED_ON =
  /^LOCI_(CACHE_DIR|LOG_LEVEL|EMBEDDER_FOLDER|EMBEDDER_THREADS|TEMPORAL_BINARY|WEAVIATE_BINARY|VERSITYGW_BINARY|TEST_\w+)$/;

/** How many warnings and errors of a service are printed when a test failed. */
const LOG_LINES = 8;
const LOG_CHARACTERS = 400;

/** The state of the first stack, which is removed last. */
const stateDir = newStateDir();

/** Where every test file writes how long it took. */
export const timesFile = resolve(process.env[FILE_TIMES_VARIABLE] || join(stateDir, 'test-times.jsonl'));

/** Where servers, and compiled code of tests, are found or put. */
export const testCacheDir = resolve(process.env['LOCI_CACHE_DIR'] || join(homedir(), '.cache', 'loci'));

/** The settings of every stack of a test run, and the environment of its test files. */
export const testEnvironment: NodeJS.ProcessEnv = {
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith('LOCI_') || PASSED_ON.test(name)),
  ),
  // The one loopback address that the stack may download from; egress to all others stays blocked.
  LOCI_EGRESS_ALLOW: DOWNLOAD_ADDRESS,
  // Test sites need no delay between requests, and their slow or large pages are so on purpose.
  LOCI_CRAWL_DELAY_MS: '5',
  LOCI_CRAWL_PAGE_TIMEOUT_S: '10',
  LOCI_CRAWL_MAX_PAGE_BYTES: String(2 * 1024 * 1024),
  LOCI_CRAWL_QUERIES_PER_PATH: '7',
  LOCI_OAUTH_REDIRECTS: 'https://app.example.com/connected',
  // All tests share one address, so rate limits are disabled.
  LOCI_RATE_LIMIT_PER_MINUTE: '0',
  LOCI_WORKSPACE_RATE_LIMIT_PER_MINUTE: '0',
  LOCI_FAILED_AUTH_PER_MINUTE: '0',
  // Tests sign tokens of users: `test/support/fixtures/user-token.ts`.
  LOCI_JWT_SECRET: randomBytes(32).toString('base64url'),
  LOCI_JWT_ISSUER: 'https://issuer.test',
  LOCI_JWT_AUDIENCE: 'loci-tests',
  // The delays between the attempts of a webhook are fractions of a second instead of up to days.
  LOCI_WEBHOOK_WAITS_S: TEST_WEBHOOK_WAITS_S.join(','),
  LOCI_WEBHOOK_TIMEOUT_S: '5',
  // A response that does not match its schema is an error in tests, and only logged in production.
  NODE_ENV: 'test',
  [FILE_TIMES_VARIABLE]: timesFile,
  NODE_COMPILE_CACHE: compiledCodeFolder(testCacheDir),
  // Weaviate and Temporal collect garbage half as often as usual: that takes a sixth of their processor time with many small tenants.
  GOGC: '200',
};

/** The whole product on free ports with temporary state, for test files. */
export type TestRunStack = {
  facts: TestStackFacts;
  /** Prints the last warnings and errors of API and worker. */
  showLogs(): Promise<void>;
  stop(): Promise<void>;
};

let isFirst = true;

/** Starts one more product. However this process ends, the reaper stops it and removes its state. @throws StackError */
export async function startTestRunStack(): Promise<TestRunStack> {
  const log = (line: string) => console.log(line);
  const stack = await startLocalStack({
    stateDir: isFirst ? stateDir : newStateDir(),
    cacheDir: testCacheDir,
    ports: 'free',
    environment: testEnvironment,
    isTemporary: true,
    log,
  });
  isFirst = false;
  const closing = new AsyncDisposableStack();
  closing.defer(() => stack.stop());
  try {
    await migrate(stack);
    const first = await prepareFirstRun(stack);
    const services = createLociServices(operatedByFirst(stack, first));
    closing.defer(() => services.worker.stop());
    closing.defer(() => services.api.stop());
    await timedStep({ log, title: 'Starting API and worker' }, async () => {
      await Promise.all([services.api.start(), services.worker.start()]);
    });
    const control = await startControlServer(controllable(stack, services));
    closing.defer(() => control.close());
    return {
      facts: factsOf(stack, first, control.url),
      showLogs: () => showLogs(services),
      stop: () => closing.disposeAsync(),
    };
  } catch (error) {
    await closing.disposeAsync();
    throw error;
  }
}

function newStateDir(): string {
  return join(realpathSync(tmpdir()), `loci-test-${randomBytes(6).toString('hex')}`);
}

function controllable(stack: RunningStack, services: LociServices) {
  const all = [services.api, services.worker, stack.postgres, stack.temporal, stack.weaviate];
  return new Map(all.flatMap((managed) => (managed === null ? [] : [[managed.name, managed] as const])));
}

function factsOf(
  stack: RunningStack,
  first: Awaited<ReturnType<typeof prepareFirstRun>>,
  controlUrl: string,
): TestStackFacts {
  return {
    baseUrl: `http://127.0.0.1:${stack.ports.api}`,
    workerUrl: `http://127.0.0.1:${stack.ports.worker}`,
    apiKey: first.api_key,
    adminToken: stack.environment['LOCI_ADMIN_TOKEN'] ?? '',
    workspaceId: first.workspace_id,
    collectionId: first.collection_id,
    temporalUi: stack.temporalUi ?? '',
    stateDir: stack.context.stateDir,
    controlUrl,
    environment: stack.environment,
  };
}

async function showLogs(services: LociServices): Promise<void> {
  for (const { title, logFile } of [services.api, services.worker]) {
    const lines = (await readLogTail(logFile, 5_000))
      .split('\n')
      .filter((line) => !/"level":"(info|debug|trace)"/.test(line));
    console.log(`--- warnings and errors of the ${title}`);
    for (const line of lines.slice(-LOG_LINES)) console.log(line.slice(0, LOG_CHARACTERS));
  }
}
