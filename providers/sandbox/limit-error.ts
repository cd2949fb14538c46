import { AppError, assertNever } from '#domain/app-error.ts';
import type { SandboxExitError } from './sandbox-process.ts';

type TaskLimits = { timeoutMs: number; memoryBytes: number; cpuBudgetMs: number | null };

/**
 * Returns the error of the document that a process was working on when it exited; the message is for the user who uploaded it.
 */
export function limitError(exit: SandboxExitError, limits: TaskLimits): AppError {
  const options = { cause: exit };
  switch (exit.reason) {
    case 'timeout': {
      const time = `${limits.timeoutMs / 1000} s`;
      return new AppError(
        'read_timeout',
        `Reading the document took longer than ${time} and was stopped. Split it, or ask the operator to raise LOCI_READER_TIMEOUT_S.`,
        options,
      );
    }
    case 'cpu': {
      const time = `${(limits.cpuBudgetMs ?? 0) / 1000} s`;
      return new AppError(
        'read_timeout',
        `Reading the document took more than ${time} of processor time, the limit for its size, and was stopped. Split it, save it in a simpler format, or ask the operator to raise LOCI_READER_TIMEOUT_S.`,
        options,
      );
    }
    case 'memory': {
      const memory = `${Math.floor(limits.memoryBytes / 1024 / 1024)} MiB`;
      return new AppError(
        'read_memory_limit',
        `Reading the document needed more than ${memory} of memory and was stopped. Split it, or ask the operator to raise LOCI_READER_MEMORY_BYTES.`,
        options,
      );
    }
    case 'crashed':
    case 'stopped':
      return new AppError(
        'reader_crashed',
        'The reader crashed on this document more than once. It is probably damaged: save it again in its application and upload it.',
        options,
      );
    default:
      return assertNever(exit.reason);
  }
}
