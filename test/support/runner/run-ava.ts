import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PROJECT_DIR } from '#stack/loci-services.ts';
import { formatDuration } from '#stack/timed-step.ts';
import { createAvaReport, type TestCounts } from './ava-report.ts';
import { TEST_STACK_VARIABLE, type TestStackFacts } from '#test/support/harness/stack.ts';

/** Ava's own limit is off for as long as the longest `t.timeout` of any test of the run, and does not cover teardowns. */
const MAX_SILENCE_MS = 10 * 60_000;
/** How long ava may take to name the pending tests. */
const INTERRUPT_MS = 30_000;

export type AvaRun = { counts: TestCounts; failures: string[] };

type AvaOptions = {
  environment: NodeJS.ProcessEnv;
  facts: TestStackFacts;
  /** Printed before each line, where several runs print at once. */
  label?: string;
};

/**
 * Runs ava with the arguments against a running stack and prints its lines. A run in which no test ends for ten minutes is
 * interrupted, whereupon ava names the pending tests. A test runner that crashed without naming a failed test counts as one
 * failure.
 */
export async function runAva(args: readonly string[], options: AvaOptions): Promise<AvaRun> {
  const report = createAvaReport();
  const { child, endGroup } = spawnAva(args, options);
  const exited = new Promise<number | null>((settle) => child.once('close', settle));
  const silence = setTimeout(() => {
    console.log(`--- no test has ended for ${formatDuration(MAX_SILENCE_MS)}: the run is interrupted`);
    child.kill('SIGINT');
    setTimeout(() => {
      endGroup();
      child.stdout.destroy();
    }, INTERRUPT_MS).unref();
  }, MAX_SILENCE_MS);
  for await (const line of createInterface({ input: child.stdout })) {
    silence.refresh();
    report.read(line);
    console.log(options.label === undefined ? line : `[${options.label}] ${line}`);
  }
  clearTimeout(silence);
  const code = await exited;
  const counts = report.counts();
  return {
    counts: code === 0 || counts.failed > 0 ? counts : { ...counts, failed: 1 },
    failures: report
      .failures()
      .map((failure) => (options.label === undefined ? failure : `[${options.label}] ${failure}`)),
  };
}

function spawnAva(args: readonly string[], { environment, facts }: AvaOptions) {
  const ava = join(PROJECT_DIR, 'node_modules', 'ava', 'entrypoints', 'cli.js');
  const child = spawn(process.execPath, [ava, ...args], {
    cwd: PROJECT_DIR,
    env: {
      ...environment,
      ...(process.stdout.isTTY ? { FORCE_COLOR: '1' } : {}),
      ...facts.environment,
      [TEST_STACK_VARIABLE]: JSON.stringify(facts),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
    // A group of its own, so that its test files, and the commands that these run, end with it.
    detached: true,
  });
  const endGroup = () => {
    if (child.pid === undefined) return;
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // Nothing of the group runs any more.
    }
  };
  process.once('exit', endGroup);
  child.once('close', () => process.off('exit', endGroup));
  return { child, endGroup };
}
