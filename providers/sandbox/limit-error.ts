import { AppError, assertNever } from '#domain/app-error.ts';
import type { SandboxExitError } from './sandbox-process.ts';

/** What a death means for the document that was being worked on, for whoever uploaded it. */
export function limitError(death: SandboxExitError, limits: { timeoutMs: number; memoryBytes: number }): AppError {
  const options = { cause: death };
  switch (death.reason) {
    case 'timeout': {
      const time = `${limits.timeoutMs / 1000} s`;
      return new AppError(
        'read_timeout',
        `Reading the document took longer than ${time} and was stopped. Split it, or have the operator raise LOCI_READER_TIMEOUT_S.`,
        options,
      );
    }
    case 'memory': {
      const memory = `${Math.floor(limits.memoryBytes / 1024 / 1024)} MiB`;
      return new AppError(
        'read_memory_limit',
        `Reading the document needed more than ${memory} of memory and was stopped. Split it, or have the operator raise LOCI_READER_MEMORY_BYTES.`,
        options,
      );
    }
    case 'crashed':
    case 'stopped':
      return new AppError(
        'reader_crashed',
        'The reader crashed on this document more than once. It is probably damaged: save it anew and upload it again.',
        options,
      );
    default:
      return assertNever(death.reason);
  }
}
