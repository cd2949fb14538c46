import { appendFileSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { FILE_TIMES_VARIABLE, type FileTimes } from './file-times.ts';

/** Ticks of the clock in which Linux counts processor time. */
const TICKS_PER_SECOND = 100;

/** The processor time of the ended processes that this one started, in seconds; 0 where the system does not tell. */
function childrenCpuS(): number {
  try {
    // The name of the process, in brackets, may contain spaces; user and system time of children are fields 16 and 17.
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND;
  } catch {
    return 0;
  }
}

const path = process.env[FILE_TIMES_VARIABLE];
// The test runner loads this file before each test file.
if (path !== undefined) {
  process.once('exit', () => {
    const { user, system } = process.cpuUsage();
    const times: FileTimes = {
      file: relative(process.cwd(), fileURLToPath(test.meta.file)),
      wall_s: performance.now() / 1000,
      cpu_s: (user + system) / 1e6,
      children_cpu_s: childrenCpuS(),
    };
    appendFileSync(path, `${JSON.stringify(times)}\n`);
  });
}
