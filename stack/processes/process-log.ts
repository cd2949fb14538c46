import { copyFileSync, mkdirSync, openSync, statSync, truncateSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';

const MAX_LOG_BYTES = 32 * 1024 * 1024;
const CHECK_EVERY_MS = 30_000;

/** Opens the log of a process for appending; only the owner can read it. Returns the file descriptor. */
export function openProcessLog(logFile: string): number {
  mkdirSync(dirname(logFile), { recursive: true });
  rotateIfTooLarge(logFile);
  return openSync(logFile, 'a', 0o600);
}

/** Rotates the log of a running process: when it exceeds 32 MiB, it is copied to `<name>.1` and emptied. */
export function limitLogSize(logFile: string): { stop(): void } {
  const timer = setInterval(() => rotateIfTooLarge(logFile), CHECK_EVERY_MS);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}

/** Returns the last lines of a log; an empty string if there is none. */
export async function readLogTail(logFile: string, lineCount = 20): Promise<string> {
  const text = await readFile(logFile, 'utf8').catch(() => '');
  return text.trimEnd().split('\n').slice(-lineCount).join('\n');
}

/** The process keeps appending to the same file, so the file is copied and truncated instead of renamed. */
function rotateIfTooLarge(logFile: string): void {
  try {
    if (statSync(logFile).size <= MAX_LOG_BYTES) return;
    copyFileSync(logFile, `${logFile}.1`);
    truncateSync(logFile);
  } catch {
    // There is no log yet.
  }
}
