import type { UploadForm } from '#domain/records/upload.ts';
import type { Scope } from '#domain/access/scope.ts';
import { isSettled, type ContentStatus } from '#domain/statuses.ts';
import type { ExistingContent } from '#store/contents/existing-contents.ts';
import type { Stores } from '#store/stores.ts';
import type { PlannedItem } from './plan-upload.ts';

/**
 * What happens to an item: `create` a content; `replace` the bytes of the content with the same external id; `rerun` the
 * ingestion of the same content, because it failed, was cancelled, was only stored or is a URL; or `keep` the existing content
 * unchanged.
 */
export type MatchedItem = {
  item: PlannedItem;
  action: 'create' | 'replace' | 'rerun' | 'keep';
  contentId: string;
  /** The stage before this upload. */
  stage: ContentStatus;
};

/** Matches the items of an upload with the contents of the collection and with each other. Keeps their order. */
export async function matchUploadItems(
  stores: Stores,
  scope: Scope,
  upload: { form: UploadForm; planned: readonly PlannedItem[] },
): Promise<MatchedItem[]> {
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
    const stage = firstStage(form, item);
    const contentId = match?.contentId ?? item.content.id;
    // A duplicate later in the same upload is kept.
    if (key !== null) known.set(key, { contentId, stage: match?.stage ?? stage, existing: null });
    const action = !match ? 'create' : match.existing ? actionFor(item, match.existing, form) : 'keep';
    return { item, action, contentId, stage: match?.stage ?? stage };
  });
}

function actionFor(item: PlannedItem, existing: ExistingContent, form: UploadForm): MatchedItem['action'] {
  const { external_id: externalId, content_hash: hash, name, source, url } = item.content;
  // The crawl detects whether the page has changed.
  if (form.crawl && source === 'url') return 'keep';
  // Whether the file behind a URL has changed is known only when it is downloaded.
  const isSame = source === 'url' ? existing.url === url : existing.url === null && existing.content_hash === hash;
  if (externalId !== null && (!isSame || existing.name !== name)) return 'replace';
  const needsRun = existing.stage !== 'ready' || source === 'url';
  return form.ingest && isSettled(existing.stage) && needsRun ? 'rerun' : 'keep';
}

/** Returns the stage in which a new content begins. A page to be crawled is pending until it is fetched, even if it is only stored. */
export function firstStage({ ingest, crawl }: UploadForm, { content }: PlannedItem): 'pending' | 'stored' {
  return ingest || (crawl && content.source === 'url') ? 'pending' : 'stored';
}

function keyOf(externalId: string | null, dedupeKey: string | null): string | null {
  return externalId === null ? dedupeKey && `same/${dedupeKey}` : `external/${externalId}`;
}
