import { join } from 'node:path';
import { AppError } from '#domain/app-error.ts';
import { SandboxPool, type SandboxOptions, type SandboxTask } from '#providers/sandbox/sandbox-pool.ts';
import { PageTaskResult, type PageTask } from './page-task.ts';

export type PagePoolOptions = Omit<SandboxOptions, 'taskModule' | 'maxPerShare'> & {
  processes: number;
  workFolder: string;
};

/**
 * Processor time of a task. A page takes milliseconds, and the largest sitemap less than a second. Only the wildcards of a hostile
 * robots.txt take more, with every page anew.
 */
const CPU_BUDGET_MS = 4_000;
const SITEMAP_CPU_BUDGET_MS = 8_000;

/** A response of a site: its bytes, a file with them (or with `bytes` in memory), or null when the task needs no input. */
export type SiteResponse = Uint8Array | { path: string; bytes?: Uint8Array | undefined } | null;

/** `share`: the workspace of the crawl; workspaces take turns, and leave one process, of several, to the others. */
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
  const taskModule = join(import.meta.dirname, 'run-task.ts');
  const maxPerShare = Math.max(1, limits.processes - 1);
  const sandbox = new SandboxPool({ ...limits, maxPerShare, workFolder, taskModule });
  return {
    inspect: (response, payload, work) =>
      run(sandbox, { ...inputOf(response), payload, cpuBudgetMs: () => cpuBudgetMs(payload) }, work),
    close: () => sandbox.close(),
  };
}

function cpuBudgetMs({ kind }: PageTask): number {
  return kind === 'sitemap' ? SITEMAP_CPU_BUDGET_MS : CPU_BUDGET_MS;
}

function inputOf(response: SiteResponse): Pick<SandboxTask, 'inputPath' | 'inputBytes'> {
  if (response !== null && 'path' in response) return { inputPath: response.path, inputBytes: response.bytes };
  return { inputPath: '', inputBytes: response ?? new Uint8Array() };
}

async function run(sandbox: SandboxPool, task: SandboxTask, options: InspectOptions): Promise<PageTaskResult> {
  await using batch = await sandbox.run([task], options);
  const [outcome] = batch.outcomes;
  if (outcome?.ok === true) return PageTaskResult.parse(outcome.value);
  if (outcome?.error instanceof AppError) throw aboutThePage(outcome.error);
  throw outcome?.error ?? new Error('the sandbox returned no outcome');
}

/** What the sandbox says of its limits is meant for a document that somebody uploaded, and names settings of the readers. */
function aboutThePage(error: AppError): AppError {
  const { code } = error;
  if (code !== 'read_timeout' && code !== 'read_memory_limit') return error;
  const much = code === 'read_timeout' ? 'too long' : 'too much memory';
  return new AppError(
    code,
    `Finding the links, and what robots.txt says about them, took ${much}. The page or the robots.txt of its site is unusual: upload the page as a file.`,
    { cause: error },
  );
}
