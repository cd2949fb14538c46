import type { Caller } from '#domain/access/caller.ts';
import type { ContentVersionList } from '#domain/records/content.ts';
import type { Services } from '#operations/services.ts';
import { contentNotFound } from './contents.ts';

/** Returns the versions of a content in one collection, newest first. @throws AppError `not_found` */
export async function listContentVersions(
  services: Services,
  caller: Caller,
  place: { contentId: string; collectionId: string },
): Promise<ContentVersionList> {
  const versions = await services.stores.contents.listVersions(caller.scope, place);
  if (versions === null) throw contentNotFound();
  return { content_id: place.contentId, collection_id: place.collectionId, versions };
}
