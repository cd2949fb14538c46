import { join } from 'node:path';
import { AppError } from '#domain/app-error.ts';
import { SandboxPool, type SandboxOptions, type SandboxTask } from '#providers/sandbox/sandbox-pool.ts';
import { PageTaskResult, type PageTask } from './page-task.ts';

export type PagePoolOptions = Omit<SandboxOptions, 'taskModule'> & { workFolder: string };

/** A response of a site: its bytes, a file with them (or with `bytes` in memory), or null when the task needs no input. */
export type SiteResponse = Uint8Array | { path: string; bytes?: Uint8Array | undefined } | null;

/** `share`: the workspace of the crawl; workspaces take turns. */
export type InspectOptions = { signal: AbortSignal; share: string };

/**
 * Extracts links, canonical URLs and robots directives from responses, in sandboxed child processes. A response that exceeds a
 * limit or crashes its parser is rejected with an AppError; other errors are faults of the installation, or the signal's reason.
 */
export interface PagePool {
  inspect(response: SiteResponse, payload: PageTask, options: InspectOptions): Promise<PageTaskResult>;
  close(): Promise<void>;
}

/** Creates a pool that starts its first process with the first task. The caller closes it. */
export function createPagePool({ workFolder, ...limits }: PagePoolOptions): PagePool {
  const sandbox = new SandboxPool({ ...limits, workFolder, taskModule: join(import.meta.dirname, 'run-task.ts') });
  return {
    inspect: (response, payload, work) => run(sandbox, { ...inputOf(response), payload }, work),
    close: () => sandbox.close(),
  };
}

function inputOf(response: SiteResponse): Pick<SandboxTask, 'inputPath' | 'inputBytes'> {
  if (response !== null && 'path' in response) return { inputPath: response.path, inputBytes: response.bytes };
  return { inputPath: '', inputBytes: response ?? new Uint8Array() };
}

async function run(sandbox: SandboxPool, task: SandboxTask, options: InspectOptions): Promise<PageTaskResult> {
  await using batch = await sandbox.run([task], options);
  const [outcome] = batch.outcomes;
  if (outcome?.ok === true) return PageTaskResult.parse(outcome.value);
  if (outcome?.error instanceof AppError) throw outcome.error;
  throw outcome?.error ?? new Error('the sandbox returned no outcome');
}
