import test from 'ava';
import { PROJECT_DIR } from '#stack/loci-services.ts';
import { filesToTryAgain } from '#test/support/runner/second-attempt.ts';

const here = (title: string) => `stack › second-attempt › ${title}`;

test('retries a few failed tests in their files, each once', (t) => {
  const failures = [here('breaks 1 is not 2\n  test/x.ts:1'), here('breaks › twice'), 'stack › ava-report › breaks'];
  const files = ['test/stack/ava-report.test.ts', 'test/stack/second-attempt.test.ts'];
  t.deepEqual(filesToTryAgain(failures, PROJECT_DIR), files);
});

test('retries the tests that a failed hook prevented', (t) => {
  const file = 'test/stack/second-attempt.test.ts';
  const failures = [here('before hook Rejected promise returned by test'), `2 tests remaining in ${file}`];
  t.deepEqual(filesToTryAgain(failures, PROJECT_DIR), [file]);
  t.is(filesToTryAgain(['2 tests remaining in test/no/such.test.ts'], PROJECT_DIR), null);
});

test('does not retry what names no test: a crashed file, a title of another run, nothing', (t) => {
  const crash = 'test/stack/second-attempt.test.ts exited with a non-zero exit code: 3';
  t.is(filesToTryAgain([here('breaks'), crash], PROJECT_DIR), null);
  t.is(filesToTryAgain(['second-attempt › breaks'], PROJECT_DIR), null);
  t.is(filesToTryAgain([], PROJECT_DIR), null);
});

test('does not retry failures in many files', (t) => {
  const files = ['ava-report', 'second-attempt', 'exclusive-lock', 'managed-process'];
  t.is(
    filesToTryAgain(
      files.map((file) => `stack › ${file} › breaks`),
      PROJECT_DIR,
    ),
    null,
  );
});
