import { inspect } from 'node:util';
import type { Log } from './log.ts';

const MAX_CHARACTERS = 500;

/**
 * Redirects console output of libraries to the log, one redacted line each, so that standard output stays one JSON object per
 * line. For main files only: it replaces the console methods of the whole process.
 */
export function redirectConsoleToLog(log: Log): void {
  const writer =
    (level: 'info' | 'warn' | 'error') =>
    (...parts: unknown[]): void => {
      const text = parts.map((part) => (typeof part === 'string' ? part : inspect(part, { depth: 1 }))).join(' ');
      log[level]({ component: 'console' }, text.slice(0, MAX_CHARACTERS));
    };
  console.log = writer('info');
  console.info = writer('info');
  console.warn = writer('warn');
  console.error = writer('error');
}
