import { LociError } from './loci-error.ts';
import { dataOf } from './data-of.ts';
import type { LociApi } from './loci-api.ts';
import { reportUnreachable, type Transport } from './transport.ts';
import { withRetries } from './with-retries.ts';

/**
 * Returns the file of a content as it was uploaded. Where the service has it in a bucket and redirects to it, it comes from there, and
 * the bucket gets no credentials.
 * @throws LociError `bucket_refused` if the bucket does not answer with the file
 */
export async function originalFile(
  by: { api: LociApi; transport: Transport },
  contentId: string,
  { signal }: { signal?: AbortSignal } = {},
): Promise<Blob> {
  const params = { path: { content_id: contentId } };
  const request = { params, parseAs: 'blob', ...(signal ? { signal } : {}) } as const;
  const answered = await by.api.GET('/api/v1/contents/{content_id}/file', request);
  const location = answered.response.status === 303 ? answered.response.headers.get('Location') : null;
  if (location !== null) return fromBucket(by.transport, location, signal);
  const file: unknown = await dataOf(Promise.resolve(answered));
  // An empty response has no data.
  return file instanceof Blob ? file : new Blob([]);
}

async function fromBucket({ fetch, retries }: Transport, location: string, signal?: AbortSignal): Promise<Blob> {
  // Errors name the bucket alone: the rest of the URL permits to download the file.
  const baseUrl = URL.canParse(location) ? new URL(location).origin : 'the bucket';
  const attempt = () =>
    reportUnreachable({ baseUrl }, async () => {
      const response = await fetch(location, { redirect: 'manual', ...(signal ? { signal } : {}) });
      if (response.status === 200) return response.blob();
      await response.body?.cancel();
      throw bucketRefused(response.status);
    });
  return withRetries(attempt, { retries, isRepeatable: true, signal });
}

function bucketRefused(status: number): LociError {
  const detail =
    `The storage bucket answered the download link with status ${status}. Links expire after minutes: download the file again for a new one. ` +
    'If this persists, check the clock and the permissions of the bucket.';
  return new LociError(detail, { status, code: 'bucket_refused' });
}
