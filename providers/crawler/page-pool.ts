import { randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '#domain/app-error.ts';
import { SandboxPool, type SandboxOptions } from '#providers/sandbox/sandbox-pool.ts';
import { PageTaskResult, type PageTask } from './page-task.ts';

export type PagePoolOptions = Omit<SandboxOptions, 'taskModule'> & { workFolder: string };

/** An answer of a site to be looked into: its bytes, a file that holds them, or neither. */
export type SiteResponse = Uint8Array | { path: string } | null;

/**
 * Looks into what sites answer, in sandboxed child processes: links, canonical address, what robots may do. An answer that
 * breaks a limit or its reader has an AppError; what else is thrown is a fault of the installation, or the signal's reason.
 */
export interface PagePool {
  inspect(answer: SiteResponse, payload: PageTask, signal: AbortSignal): Promise<PageTaskResult>;
  close(): Promise<void>;
}

/** Starts no process before the first task. Close it in the end. */
export function createPagePool(options: PagePoolOptions): PagePool {
  const sandbox = new SandboxPool({ ...options, taskModule: join(import.meta.dirname, 'run-task.ts') });
  return {
    async inspect(answer, payload, signal) {
      if (answer !== null && 'path' in answer) return run(sandbox, answer.path, { payload, signal });
      await mkdir(options.workFolder, { recursive: true, mode: 0o700 });
      const path = join(options.workFolder, `answer-${randomUUID()}`);
      try {
        await writeFile(path, answer ?? new Uint8Array(), { mode: 0o600 });
        return await run(sandbox, path, { payload, signal });
      } finally {
        await rm(path, { force: true });
      }
    },
    close: () => sandbox.close(),
  };
}

async function run(
  sandbox: SandboxPool,
  inputPath: string,
  { payload, signal }: { payload: PageTask; signal: AbortSignal },
): Promise<PageTaskResult> {
  await using batch = await sandbox.run([{ inputPath, payload }], { signal });
  const [outcome] = batch.outcomes;
  if (outcome?.ok === true) return PageTaskResult.parse(outcome.value);
  if (outcome?.error instanceof AppError) throw outcome.error;
  throw outcome?.error ?? new Error('the sandbox gave no outcome');
}
