import { stripVTControlCharacters } from 'node:util';

/** How many tests of a run passed, failed and were skipped. */
export type TestCounts = { passed: number; failed: number; skipped: number };

const PASSED = /^\s*[✔√] /;
/** A failed test or hook, a file that crashed, exited, holds no test or stopped half-way. */
const FAILED = /^\s*[✘×] (?!Timed out while)|^\s*(Uncaught exception|Unhandled rejection) in /;
const SKIPPED = /^\s*- \[(skip|todo)\] /;
/** Lines of the summary; tests that never came to an end are counted there alone. */
const SUMMARY_FAILED = /^\s*(\d+) (?:tests?|hooks?) failed$/;
const SUMMARY_PENDING = /^\s*(\d+) tests? remained pending after a timeout$/;
/** Between the results and the details of the failures, and behind these. */
const RULE = '─';
/** The marks in front of a failed or a pending test. */
const MARK = /^[✘×◌] (?:\[fail\]: )?/;
/** How much of one failure's details is told again at the end. */
const DETAIL_LINES = 14;

/**
 * Counts results in the output of ava's own reporter. Its TAP reporter would be easier to read, but dies when a test
 * times out or calls `process.exit` (ava 8.0.1), which is when its word is needed most.
 */
export function createAvaReport(): {
  read(line: string): void;
  counts(): TestCounts;
  /** What failed or hung, a title each with the beginning of its details: a log's last lines are read first. */
  failures(): string[];
} {
  const counts: TestCounts = { passed: 0, failed: 0, skipped: 0 };
  const details = new Map<string, string[]>();
  let isBehindRule = false;
  let current: string[] | undefined;
  let summaryFailed = 0;
  let pending = 0;
  // The line of a failed test has its message behind the title.
  const isTold = (title: string) => (line: string) => line === title || line.startsWith(`${title} `);
  const isTitle = (text: string) => text !== '' && [...details.keys()].some(isTold(text));
  const detailsOf = (text: string) => details.get([...details.keys()].find(isTold(text)) ?? '');
  return {
    read(coloured) {
      const line = stripVTControlCharacters(coloured);
      const text = line.trim();
      if (PASSED.test(line)) counts.passed += 1;
      if (FAILED.test(line)) counts.failed += 1;
      if (FAILED.test(line) || text.startsWith('◌ ')) details.set(text.replace(MARK, ''), []);
      if (SKIPPED.test(line)) counts.skipped += 1;
      summaryFailed += Number(SUMMARY_FAILED.exec(line)?.[1] ?? 0);
      pending += Number(SUMMARY_PENDING.exec(line)?.[1] ?? 0);
      if (text === RULE) [isBehindRule, current] = [true, undefined];
      else if (isBehindRule && isTitle(text)) current = detailsOf(text);
      else if (current !== undefined && current.length < DETAIL_LINES && text !== '') current.push(line.trimEnd());
    },
    counts: () => ({ ...counts, failed: Math.max(counts.failed, summaryFailed) + pending }),
    failures: () => [...details].map(([title, lines]) => [title, ...lines].join('\n')),
  };
}
