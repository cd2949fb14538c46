import { copyFileSync, mkdirSync, openSync, statSync, truncateSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';

const MAX_LOG_BYTES = 32 * 1024 * 1024;
const CHECK_EVERY_MS = 30_000;

/** Opens the log of a process for appending, readable by its owner alone. */
export function openLog(logFile: string): number {
  mkdirSync(dirname(logFile), { recursive: true });
  cutWhenLarge(logFile);
  return openSync(logFile, 'a', 0o600);
}

/** Keeps the log of a running process within bounds: once it is too large, it becomes `<name>.1`, and a new one begins. */
export function keepLogSmall(logFile: string): { stop(): void } {
  const timer = setInterval(() => cutWhenLarge(logFile), CHECK_EVERY_MS);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}

/** The last lines that a process wrote. */
export async function endOfLog(logFile: string, lineCount = 20): Promise<string> {
  const text = await readFile(logFile, 'utf8').catch(() => '');
  return text.trimEnd().split('\n').slice(-lineCount).join('\n');
}

/** The process goes on writing to the same file, at its end, so it has to be copied and emptied rather than renamed. */
function cutWhenLarge(logFile: string): void {
  try {
    if (statSync(logFile).size <= MAX_LOG_BYTES) return;
    copyFileSync(logFile, `${logFile}.1`);
    truncateSync(logFile);
  } catch {
    // There is no log yet.
  }
}
