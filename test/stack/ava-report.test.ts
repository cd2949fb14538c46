import test from 'ava';
import { createAvaReport } from '#test/support/runner/ava-report.ts';

function countsOf(output: string) {
  const report = createAvaReport();
  for (const line of output.split('\n')) report.read(line);
  return report.counts();
}

test('counts passed, failed and skipped tests, coloured or not', (t) => {
  const output = `
  \u001B[32m✔\u001B[39m a › works \u001B[90m(271ms)\u001B[39m
  ✔ a › works too
    ℹ a log line
  ✘ [fail]: a › breaks
  - [skip] a › later
  ─

  1 test failed
  1 test skipped`;
  t.deepEqual(countsOf(output), { passed: 2, failed: 1, skipped: 1 });
});

test('counts a file that crashes, exits, contains no test or has an unhandled rejection as failed', (t) => {
  t.is(countsOf('  ✘ test/x.test.ts exited with a non-zero exit code: 3').failed, 1);
  t.is(countsOf('  ✘ No tests found in test/x.test.ts, make sure to import "ava"').failed, 1);
  t.is(countsOf('  Uncaught exception in test/x.test.ts').failed, 1);
  t.is(countsOf('  Unhandled rejection in test/x.test.ts').failed, 1);
});

test('counts every test that was pending at the timeout as failed', (t) => {
  const output = `
  ✔ a › works
  ✘ Timed out while running tests
  ◌ b › hangs
  ◌ b › hangs too
  2 tests remained pending after a timeout`;
  t.deepEqual(countsOf(output), { passed: 1, failed: 2, skipped: 0 });
});

test('counts failures that only the summary reports', (t) => {
  t.is(countsOf('  1 hook failed\n  2 tests failed').failed, 3);
});

test('repeats failed and hung tests with the start of their details', (t) => {
  const report = createAvaReport();
  const output = `
  \u001B[31m✘\u001B[39m [fail]: a › breaks one is not two
  ✔ b › works
  ◌ c › hangs
  ─

  a › breaks

  test/a.test.ts:5

   4: test('breaks', (t) => {
   5:   t.is(1, 2);

  Difference (- actual, + expected):

  - 1
  + 2

  › file://test/a.test.ts:5:5

  ─

  1 test failed
  1 test remained pending after a timeout`;
  for (const line of output.split('\n')) report.read(line);
  const [broken = '', hung, ...others] = report.failures();
  t.true(broken.startsWith('a › breaks one is not two\n  test/a.test.ts:5\n'));
  t.regex(broken, /- 1\n {2}\+ 2/);
  t.notRegex(broken, /1 test failed/);
  t.is(hung, 'c › hangs');
  t.deepEqual(others, []);
});
