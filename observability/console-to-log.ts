import { inspect } from 'node:util';
import type { Log } from './log.ts';

const MAX_CHARACTERS = 500;

/**
 * Sends what libraries print on the console to the log, as one scrubbed line each, so that standard output stays one JSON
 * object a line. For main files only; it changes the console of the whole process.
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
