import type { UploadForm } from '#domain/records/upload.ts';
import type { Scope } from '#domain/access/scope.ts';
import { isSettled, type ContentStatus } from '#domain/statuses.ts';
import type { ExistingContent } from '#store/contents/existing-contents.ts';
import type { Stores } from '#store/stores.ts';
import type { PlannedItem } from './plan-upload.ts';

/**
 * What becomes of an item: a `fresh` content; one that has its external id and gets these bytes (`replaced`); one that is
 * the same and runs `again`, for it failed, was cancelled, was only stored or is a URL; or one that is `kept` as it is.
 */
export type SortedItem = {
  item: PlannedItem;
  fate: 'fresh' | 'replaced' | 'again' | 'kept';
  contentId: string;
  /** Stage before this upload. */
  stage: ContentStatus;
};

/** Compares the items of an upload with what the collection has and with one another; keeps their order. */
export async function sortItems(
  stores: Stores,
  scope: Scope,
  upload: { form: UploadForm; planned: readonly PlannedItem[] },
): Promise<SortedItem[]> {
  const { form, planned } = upload;
  const keys = {
    dedupeKeys: planned.flatMap((item) => (item.content.external_id === null ? (item.dedupeKey ?? []) : [])),
    externalIds: planned.flatMap((item) => item.content.external_id ?? []),
  };
  const existingIds = await stores.existingContents.findIds(scope, form.collection_id, keys);
  if (existingIds.length > 0) await stores.contentChanges.lockWithRuns(scope, existingIds);
  const found =
    existingIds.length > 0 ? await stores.existingContents.findForUpdate(scope, form.collection_id, keys) : [];
  const known = new Map<string, { contentId: string; stage: ContentStatus; existing: ExistingContent | null }>();
  for (const existing of found) {
    const key = keyOf(existing.external_id, existing.dedupe_key);
    if (key !== null) known.set(key, { contentId: existing.content_id, stage: existing.stage, existing });
  }
  return planned.map((item) => {
    const key = keyOf(item.content.external_id, item.dedupeKey);
    const match = key === null ? undefined : known.get(key);
    const stage = form.ingest ? 'pending' : 'stored';
    const contentId = match?.contentId ?? item.content.id;
    // From here on a twin later in the same upload is kept.
    if (key !== null) known.set(key, { contentId, stage: match?.stage ?? stage, existing: null });
    const fate = !match ? 'fresh' : match.existing ? fateOf(item, match.existing, form) : 'kept';
    return { item, fate, contentId, stage: match?.stage ?? stage };
  });
}

function fateOf(item: PlannedItem, existing: ExistingContent, form: UploadForm): SortedItem['fate'] {
  const { external_id: externalId, content_hash: hash, name, source } = item.content;
  // The crawl finds out whether it has changed.
  if (form.crawl && source === 'url') return 'kept';
  if (externalId !== null && (existing.content_hash !== hash || existing.name !== name)) return 'replaced';
  const worthAnotherRun = existing.stage !== 'ready' || source === 'url';
  return form.ingest && isSettled(existing.stage) && worthAnotherRun ? 'again' : 'kept';
}

function keyOf(externalId: string | null, dedupeKey: string | null): string | null {
  return externalId === null ? dedupeKey && `same/${dedupeKey}` : `external/${externalId}`;
}
