import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { createPagePool, type PagePool } from '#providers/crawler/page-pool.ts';

const LIMITS = { processes: 1, memoryBytes: 384 * 1024 * 1024, timeoutMs: 60_000 };

/** The process in which crawls evaluate responses. It ends with the test. */
export async function openPages(t: ExecutionContext): Promise<PagePool> {
  const workFolder = await mkdtemp(join(tmpdir(), 'loci-test-pages-'));
  const pages = createPagePool({ ...LIMITS, workFolder });
  t.teardown(async () => {
    await pages.close();
    await rm(workFolder, { recursive: true, force: true });
  });
  return pages;
}
