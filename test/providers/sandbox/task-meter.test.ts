import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import test from 'ava';
import { TaskMeter } from '#providers/sandbox/task-meter.ts';
import { until } from '#test/support/harness/eventually.ts';

const isMeasured = existsSync('/proc/self/schedstat');

(isMeasured ? test : test.skip)('does not count what a process waits for a processor that others use', async (t) => {
  const busy = Array.from({ length: 2 * availableParallelism() }, () =>
    spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
  );
  t.teardown(() => busy.forEach((child) => child.kill('SIGKILL')));
  const startedAt = performance.now();
  const meters = busy.map(({ pid = 0 }) => new TaskMeter(pid));
  await until(
    () => Promise.resolve(Math.min(...meters.map((meter) => meter.cpuMs()))),
    (cpuMs) => cpuMs > 200,
  );
  const passedMs = performance.now() - startedAt;
  const elapsedMs = meters.map((meter) => meter.elapsedMs());
  t.true(Math.min(...elapsedMs) < 0.9 * passedMs, `${elapsedMs.join(', ')} of ${passedMs}`);
  t.true(Math.max(...elapsedMs) <= performance.now() - startedAt);
});
