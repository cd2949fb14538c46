import { AppError } from '#domain/app-error.ts';
import type { PageTaskPayload, PageTaskValue } from '#providers/crawler/page-protocol.ts';
import { isPassing } from '#activities/failures.ts';
import type { PageRequest } from './page-request.ts';
import type { WorkerServices } from '#activities/worker-services.ts';

/** As the child process says it, whose modules steps do not import. */
const NOWHERE: PageTaskValue = {
  links: [],
  sitemaps: [],
  canonical: null,
  isIndexable: true,
  isFollowable: true,
  delayS: null,
  fingerprint: null,
};

/**
 * Looks into a stored answer of the site, or judges links alone. An answer that cannot be looked into leads nowhere; whether it
 * can be read is found out when it is ingested.
 */
export async function inspectPage(
  { blobs, pages }: WorkerServices,
  { crawl, signal }: PageRequest,
  { sha256, payload }: { sha256: string | null; payload: PageTaskPayload },
): Promise<PageTaskValue> {
  const file = sha256 === null ? null : await blobs.checkOut(crawl.workspace_id, sha256);
  try {
    return await pages.look(file, payload, signal);
  } catch (error) {
    if (!(error instanceof AppError) || isPassing(error)) throw error;
    return NOWHERE;
  } finally {
    await file?.release();
  }
}
