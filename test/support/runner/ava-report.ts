import { stripVTControlCharacters } from 'node:util';

/** How many tests of a run passed, failed and were skipped. */
export type TestCounts = { passed: number; failed: number; skipped: number };

const PASSED = /^\s*[✔√] /;
/** A failed test or hook, or a file that crashed, exited early, contains no test or did not finish. */
const FAILED = /^\s*[✘×] (?!Timed out while)|^\s*(Uncaught exception|Unhandled rejection) in /;
const SKIPPED = /^\s*- \[(skip|todo)\] /;
/** Lines of the summary. Tests that never finished are counted only there. */
const SUMMARY_FAILED = /^\s*(\d+) (?:tests?|hooks?) failed$/;
const SUMMARY_PENDING = /^\s*(\d+) tests? remained pending after a timeout$/;
/** The line before and after the details of the failures. */
const RULE = '─';
/** The marks before the title of a failed or pending test. */
const MARK = /^[✘×◌] (?:\[fail\]: )?/;
/** How many lines of the details of each failure are repeated at the end. */
const DETAIL_LINES = 14;

/**
 * Counts results in the output of ava's default reporter. The TAP reporter would be easier to parse, but crashes when a test
 * times out or calls `process.exit` (ava 8.0.1), which is when the report is needed most.
 */
export function createAvaReport(): {
  read(line: string): void;
  counts(): TestCounts;
  /** The title of each failed or hanging test with the first lines of its details, to be printed at the end of the log. */
  failures(): string[];
} {
  const counts: TestCounts = { passed: 0, failed: 0, skipped: 0 };
  const details = new Map<string, string[]>();
  let isBehindRule = false;
  let current: string[] | undefined;
  let summaryFailed = 0;
  let pending = 0;
  // The line of a failed test has its message after the title.
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
