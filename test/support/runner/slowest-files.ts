import { existsSync, readFileSync } from 'node:fs';
import type { FileTimes } from './file-times.ts';

/** The test files that took longest, one line each, read from the file of times; none if no test file ran. */
export function slowestFiles(timesFile: string, count = 10): string[] {
  if (!existsSync(timesFile)) return [];
  const lines = readFileSync(timesFile, 'utf8').trim().split('\n');
  // Each line was written by `record-file-times.ts`.
  const times = lines.map((line) => JSON.parse(line) as FileTimes);
  return times
    .toSorted((a, b) => b.wall_s - a.wall_s)
    .slice(0, count)
    .map(
      ({ file, wall_s, cpu_s, children_cpu_s }) =>
        `${wall_s.toFixed(1)} s ${file} (processor time ${cpu_s.toFixed(1)} s, of its child processes ${children_cpu_s.toFixed(1)} s)`,
    );
}
