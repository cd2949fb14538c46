import { dataOf, LociError, type LociClient } from '@loci/client';

/** What the options of the tools permit to read. */
type Permitted = { collectionIds?: readonly string[]; search?: { filters?: Readonly<Record<string, unknown>> } };

/** Longest text that `GET /contents` looks for in names. */
const MAX_SEARCHED_CHARACTERS = 255;

/**
 * Requires that a content is in one of the collections of the options and matches their filters, as what a search finds.
 * @throws LociError `not_found` in the words of the service, which do not tell whether the content exists; the error of the service for
 *   filters that are for searches only
 */
export async function requireReadable(
  loci: LociClient,
  { collectionIds = [], search: { filters } = {} }: Permitted,
  { contentId, ...how }: { contentId: string; signal?: AbortSignal },
): Promise<void> {
  if (collectionIds.length === 0 && filters === undefined) return;
  const params = { path: { content_id: contentId } };
  const { id, name } = await dataOf(loci.api.GET('/api/v1/contents/{content_id}', { params, ...how }));
  const query = {
    filters: JSON.stringify({ $and: [{ content_id: id }, filters ?? {}] }),
    // The database finds names, so that no large collection has to be looked through for the filters.
    ...(name.length <= MAX_SEARCHED_CHARACTERS ? { search: name } : {}),
  };
  for (const collection of collectionIds.length === 0 ? [{}] : collectionIds.map((one) => ({ collection_id: one }))) {
    const list = { query: { ...query, ...collection }, isCurrent: true, ...how };
    for await (const _ of loci.paginate('/api/v1/contents', list)) return;
  }
  const detail = 'The content does not exist, or your credentials do not give access to it.';
  throw new LociError(detail, { status: 404, code: 'not_found' });
}
