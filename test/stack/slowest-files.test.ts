import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import type { FileTimes } from '#test/support/runner/file-times.ts';
import { slowestFiles } from '#test/support/runner/slowest-files.ts';

test('names the slowest files of a run, the slowest first, with their processor time', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'loci-test-times-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'times.jsonl');
  t.deepEqual(slowestFiles(path), [], 'no test file ran');
  const times: FileTimes[] = [3, 12.34, 1].map((wall_s) => ({
    file: `test/${wall_s}.test.ts`,
    wall_s,
    cpu_s: 1,
    children_cpu_s: 0.25,
  }));
  writeFileSync(path, times.map((one) => `${JSON.stringify(one)}\n`).join(''));
  t.deepEqual(slowestFiles(path, 2), [
    '12.3 s test/12.34.test.ts (processor time 1.0 s, of its child processes 0.3 s)',
    '3.0 s test/3.test.ts (processor time 1.0 s, of its child processes 0.3 s)',
  ]);
});
