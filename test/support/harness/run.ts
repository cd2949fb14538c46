/**
 * `npm test [-- FILE ... | ava options]`: starts the whole product on free ports with temporary state, runs the tests
 * against it, prints `N passed, N failed`, and removes everything. Fault tests kill processes, so they run after the
 * others, one at a time. If only a few tests of a whole run fail, fault tests excluded, their files are run a second time,
 * serially; tests that then pass are reported as unsteady. `LOCI_TEST_STRICT=1` disables the second attempt.
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { globSync, realpathSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { type RunningStack, startLocalStack } from '#stack/local-stack.ts';
import { createLociServices, type LociServices, migrate, prepareFirstRun, PROJECT_DIR } from '#stack/loci-services.ts';
import { readLogTail } from '#stack/processes/process-log.ts';
import { StackError } from '#stack/stack-error.ts';
import { formatDuration, timedStep } from '#stack/timed-step.ts';
import { createAvaReport, type TestCounts } from './ava-report.ts';
import { type ControlServer, startControlServer } from './control-server.ts';
import { filesToTryAgain } from './second-attempt.ts';
import { DOWNLOAD_ADDRESS, TEST_STACK_VARIABLE, TEST_WEBHOOK_WAITS_S, type TestStackFacts } from './stack.ts';

const FAULTS = 'test/faults/';
/** Arguments of ava for one test at a time. */
const ALONE = ['--serial', '--concurrency=1'];
/** Settings of the shell that are passed on to a test run: where programs are found, never where data is stored. */
const PASSED_ON =
  /^LOCI_(CACHE_DIR|LOG_LEVEL|EMBEDDER_FOLDER|EMBEDDER_THREADS|TEMPORAL_BINARY|WEAVIATE_BINARY|TEST_\w+)$/;

/** Ava's own limit is off for as long as the longest `t.timeout` of any test of the run, and does not cover teardowns. */
const MAX_SILENCE_MS = 10 * 60_000;
/** How long ava may take to name the pending tests. */
const INTERRUPT_MS = 30_000;

/** How many warnings and errors of a service are printed when a test failed. */
const LOG_LINES = 8;
const LOG_CHARACTERS = 400;

const startedAt = performance.now();
const stateDir = join(realpathSync(tmpdir()), `loci-test-${randomBytes(6).toString('hex')}`);
const log = (line: string) => console.log(line);
const environment: NodeJS.ProcessEnv = {
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
  // Each test file runs in its own process, which would otherwise compile the same modules again.
  NODE_COMPILE_CACHE: join(stateDir, 'compiled'),
};
// However this process ends, the reaper stops the stack and removes its state.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130));

const total: TestCounts = { passed: 0, failed: 0, skipped: 0 };
const failures: string[] = [];
const unsteady: string[] = [];
try {
  await withStack(async (facts) => {
    for (const run of plannedRuns(process.argv.slice(2))) add(total, await runTests(run, facts));
  });
  if (total.passed + total.failed === 0) throw new StackError('No test was run.');
} catch (error) {
  console.log(error instanceof StackError ? error.message : error);
  total.failed += 1;
}
// Printed last, so that the end of a long log shows the failures.
for (const failure of unsteady) log(`--- unsteady, failed in the first and passed in a second attempt: ${failure}`);
for (const failure of failures) log(`--- failed: ${failure}`);
log(`${formatDuration(performance.now() - startedAt)}${total.skipped > 0 ? `, ${total.skipped} skipped` : ''}`);
log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed > 0 ? 1 : 0;

async function withStack(use: (facts: TestStackFacts) => Promise<void>): Promise<void> {
  const stack = await startLocalStack({
    stateDir,
    cacheDir: resolve(environment['LOCI_CACHE_DIR'] ?? join(homedir(), '.cache', 'loci')),
    ports: 'free',
    environment,
    isTemporary: true,
    log,
  });
  const services = createLociServices(stack);
  let control: ControlServer | null = null;
  try {
    await migrate(stack);
    const first = await prepareFirstRun(stack);
    await timedStep({ log, title: 'Starting API and worker' }, async () => {
      await Promise.all([services.api.start(), services.worker.start()]);
    });
    control = await startControlServer(controllable(stack, services));
    log(`The stack is up after ${formatDuration(performance.now() - startedAt)}.`);
    await use(factsOf(stack, first, control));
    if (total.failed > 0 || unsteady.length > 0) await showLogs(services);
  } finally {
    await control?.close();
    await services.api.stop();
    await services.worker.stop();
    await stack.stop();
  }
}

function controllable(stack: RunningStack, services: LociServices) {
  const all = [services.api, services.worker, stack.postgres, stack.temporal, stack.weaviate];
  return new Map(all.flatMap((managed) => (managed === null ? [] : [[managed.name, managed] as const])));
}

function factsOf(
  stack: RunningStack,
  first: Awaited<ReturnType<typeof prepareFirstRun>>,
  control: ControlServer,
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
    controlUrl: control.url,
    environment: stack.environment,
  };
}

/** Arguments of ava for one run; `isWhole` if it covers all tests except the fault tests. */
type PlannedRun = { args: string[]; isWhole: boolean };

function plannedRuns(given: readonly string[]): PlannedRun[] {
  const files = given.filter((argument) => argument.startsWith('test/'));
  const options = given.filter((argument) => !argument.startsWith('test/'));
  const isFault = (file: string) => file.startsWith(FAULTS) || file === FAULTS.slice(0, -1);
  const ordinary = files.length > 0 ? files.filter((file) => !isFault(file)) : ['test/**/*.test.ts', `!${FAULTS}**`];
  const faults = files.length > 0 ? files.filter(isFault) : globSync(`${FAULTS}*.test.ts`, { cwd: PROJECT_DIR });
  return [
    ...(ordinary.length > 0 ? [{ args: [...options, ...ordinary], isWhole: given.length === 0 }] : []),
    ...(faults.length > 0 ? [{ args: [...options, ...ALONE, ...faults], isWhole: false }] : []),
  ];
}

async function runTests({ args, isWhole }: PlannedRun, facts: TestStackFacts): Promise<TestCounts> {
  const first = await runAva(args, facts);
  const isFinal = first.counts.failed === 0 || !isWhole || environment['LOCI_TEST_STRICT'] === '1';
  const files = isFinal ? null : filesToTryAgain(first.failures, PROJECT_DIR);
  const second = files && (await tryAgain(files, facts));
  if (second?.failed === 0) {
    unsteady.push(...first.failures);
    return { ...first.counts, passed: first.counts.passed + first.counts.failed, failed: 0 };
  }
  failures.push(...first.failures);
  return first.counts;
}

async function tryAgain(files: readonly string[], facts: TestStackFacts): Promise<TestCounts> {
  log(`--- second attempt, serially: ${files.join(', ')}`);
  return (await runAva([...ALONE, ...files], facts)).counts;
}

type AvaRun = { counts: TestCounts; failures: string[] };

async function runAva(args: readonly string[], facts: TestStackFacts): Promise<AvaRun> {
  const ava = join(PROJECT_DIR, 'node_modules', 'ava', 'entrypoints', 'cli.js');
  const report = createAvaReport();
  const child = spawn(process.execPath, [ava, ...args], {
    cwd: PROJECT_DIR,
    env: {
      ...environment,
      ...(process.stdout.isTTY ? { FORCE_COLOR: '1' } : {}),
      ...facts.environment,
      [TEST_STACK_VARIABLE]: JSON.stringify(facts),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  process.once('exit', () => child.kill('SIGKILL'));
  const exited = new Promise<number | null>((settle) => child.once('close', settle));
  const silence = setTimeout(() => {
    log(`--- no test has ended for ${formatDuration(MAX_SILENCE_MS)}: the run is interrupted`);
    child.kill('SIGINT');
    setTimeout(() => child.kill('SIGKILL') && child.stdout.destroy(), INTERRUPT_MS).unref();
  }, MAX_SILENCE_MS);
  for await (const line of createInterface({ input: child.stdout })) {
    silence.refresh();
    report.read(line);
    log(line);
  }
  clearTimeout(silence);
  const code = await exited;
  const counts = report.counts();
  // A test runner that crashed without naming a failed test counts as one failure.
  return {
    counts: code === 0 || counts.failed > 0 ? counts : { ...counts, failed: 1 },
    failures: report.failures(),
  };
}

/** Prints the last warnings and errors of API and worker. */
async function showLogs(services: LociServices): Promise<void> {
  for (const { title, logFile } of [services.api, services.worker]) {
    const lines = (await readLogTail(logFile, 5_000))
      .split('\n')
      .filter((line) => !/"level":"(info|debug|trace)"/.test(line));
    log(`--- warnings and errors of the ${title}`);
    for (const line of lines.slice(-LOG_LINES)) log(line.slice(0, LOG_CHARACTERS));
  }
}

function add(sum: TestCounts, counts: TestCounts): void {
  sum.passed += counts.passed;
  sum.failed += counts.failed;
  sum.skipped += counts.skipped;
}
