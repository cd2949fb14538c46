/**
 * `npm test [-- FILE ... | ava options]`: starts the whole product on free ports with temporary state, runs the tests
 * against it, prints `N passed, N failed`, and removes everything. Fault tests kill processes, so they run one at a time
 * for each stack: beside the others on further stacks, as many as `LOCI_TEST_STACKS` says in all, and after the others on
 * theirs. If only a few tests of a whole run
 * fail, fault tests excluded, their files are run a second time, serially; tests that then pass are reported as unsteady.
 * `LOCI_TEST_STRICT=1` disables the second attempt. The end of the log names the slowest files; `LOCI_TEST_TIMES=FILE`
 * keeps the times of all files.
 */
import { globSync, rmSync, statSync } from 'node:fs';
import { totalmem } from 'node:os';
import { basename, join } from 'node:path';
import { PROJECT_DIR } from '#stack/loci-services.ts';
import { StackError } from '#stack/stack-error.ts';
import { formatDuration } from '#stack/timed-step.ts';
import type { TestCounts } from './ava-report.ts';
import { type AvaRun, runAva } from './run-ava.ts';
import { obtainTools } from './obtain-tools.ts';
import { obtainS3Server } from './obtain-s3-server.ts';
import { startProcessorUse } from './processor-use.ts';
import { filesToTryAgain } from './second-attempt.ts';
import { slowestFiles } from './slowest-files.ts';
import { startTestRunStack, testEnvironment, timesFile, type TestRunStack } from './test-run-stack.ts';

const FAULTS = 'test/faults/';
/** Arguments of ava for one test at a time. */
const ALONE = ['--serial', '--concurrency=1'];
/** Fault tests mostly wait for time limits and restarts, so they run beside others that use the processors meanwhile. */
const FAULT_STACKS = Number(
  testEnvironment['LOCI_TEST_STACKS'] ?? Math.max(1, Math.min(3, Math.floor(totalmem() / 4e9))),
);

const startedAt = performance.now();
const total: TestCounts = { passed: 0, failed: 0, skipped: 0 };
const failures: string[] = [];
const unsteady: string[] = [];
const log = (line: string) => console.log(line);
// However this process ends, the reapers stop the stacks and remove their state.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130));

rmSync(timesFile, { force: true });
const slowest: string[] = [];
try {
  await obtainTools(testEnvironment);
  await obtainS3Server(log);
  const stack = await startTestRunStack();
  log(`The stack is up after ${formatDuration(performance.now() - startedAt)}.`);
  try {
    await runAll(stack);
    slowest.push(...slowestFiles(timesFile));
    if (failures.length > 0 || unsteady.length > 0) await stack.showLogs();
  } finally {
    await stack.stop();
  }
  if (total.passed + total.failed === 0) throw new StackError('No test was run.');
} catch (error) {
  console.log(error instanceof StackError ? error.message : error);
  total.failed += 1;
}
// Printed last, so that the end of a long log shows the failures.
for (const file of slowest) log(`--- slowest files: ${file}`);
for (const failure of unsteady) log(`--- unsteady, failed in the first and passed in a second attempt: ${failure}`);
for (const failure of failures) log(`--- failed: ${failure}`);
log(`${formatDuration(performance.now() - startedAt)}${total.skipped > 0 ? `, ${total.skipped} skipped` : ''}`);
log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed > 0 ? 1 : 0;

async function runAll(stack: TestRunStack): Promise<void> {
  const given = process.argv.slice(2);
  const files = given.filter((argument) => argument.startsWith('test/'));
  const options = given.filter((argument) => !argument.startsWith('test/'));
  const isFault = (file: string) => file.startsWith(FAULTS) || file === FAULTS.slice(0, -1);
  const ordinary = files.length > 0 ? files.filter((file) => !isFault(file)) : ['test/**/*.test.ts', `!${FAULTS}**`];
  const asksForAll = files.length === 0 || files.some((file) => isFault(file) && !file.endsWith('.ts'));
  const faults = asksForAll ? globSync(`${FAULTS}*.test.ts`, { cwd: PROJECT_DIR }) : files.filter(isFault);
  const queue = largestFirst(faults);
  const runFaults = async (on: TestRunStack) => {
    for (let file = queue.shift(); file !== undefined; file = queue.shift())
      record(await runTests([...options, ...ALONE, file], on, basename(file, '.test.ts')));
  };
  const runOrdinary = async () => {
    if (ordinary.length === 0) return;
    const run = await runTests([...options, ...ordinary], stack);
    record(given.length === 0 ? await tryAgain(run, stack) : run);
    log(`--- All tests but those of faults have ended after ${formatDuration(performance.now() - startedAt)}.`);
  };
  const processorUse = startProcessorUse();
  await Promise.all([runOrdinary().then(() => runFaults(stack)), onFurtherStacks(queue, runFaults)]);
  log(`--- The processors were ${Math.round(processorUse() * 100)} % busy.`);
}

function largestFirst(files: readonly string[]): string[] {
  const sizeOf = (file: string) => statSync(join(PROJECT_DIR, file)).size;
  return files.toSorted((one, other) => sizeOf(other) - sizeOf(one));
}

/** Starts one further stack after the other while there is work for them. */
async function onFurtherStacks(queue: readonly string[], work: (stack: TestRunStack) => Promise<void>): Promise<void> {
  const workAndStop = async (stack: TestRunStack) => {
    await work(stack);
    await stack.stop();
  };
  const running: Promise<void>[] = [];
  while (running.length < FAULT_STACKS - 1 && queue.length > 1) {
    await obtainS3Server(log);
    running.push(workAndStop(await startTestRunStack()));
  }
  await Promise.all(running);
}

function runTests(args: readonly string[], { facts }: TestRunStack, label?: string): Promise<AvaRun> {
  return runAva(args, { environment: testEnvironment, facts, ...(label === undefined ? {} : { label }) });
}

/** The run, in which the failed tests count as passed if their files pass serially. */
async function tryAgain(run: AvaRun, stack: TestRunStack): Promise<AvaRun> {
  if (run.counts.failed === 0 || testEnvironment['LOCI_TEST_STRICT'] === '1') return run;
  const files = filesToTryAgain(run.failures, PROJECT_DIR);
  if (files === null) return run;
  log(`--- second attempt, serially: ${files.join(', ')}`);
  const second = await runTests([...ALONE, ...files], stack);
  if (second.counts.failed > 0) return run;
  unsteady.push(...run.failures);
  return { counts: { ...run.counts, passed: run.counts.passed + run.counts.failed, failed: 0 }, failures: [] };
}

function record(run: AvaRun): void {
  total.passed += run.counts.passed;
  total.failed += run.counts.failed;
  total.skipped += run.counts.skipped;
  failures.push(...run.failures);
}
