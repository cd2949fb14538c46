import type { StoredBlob } from '#domain/blob-store.ts';
import { AppError, type ErrorCode } from '#domain/app-error.ts';
import type { RunKey } from '#domain/uploads/ingest-jobs.ts';
import { entryId, entryKey } from '#domain/archives/entry-id.ts';
import type { Scope } from '#domain/access/scope.ts';
import { textKey } from '#domain/contents/text-key.ts';
import type { NewContent } from '#store/contents/contents.ts';
import type { KnownEntry, ArchiveRun } from '#store/archives/entries.ts';
import type { Services } from '#operations/services.ts';

/** A file found in an archive or e-mail: either stored in the blob store, or rejected with a reason. */
export type FoundEntry = { key: string; path: string } & (
  | { refusal: { code: ErrorCode; message: string } }
  | { refusal: null; blob: StoredBlob; type: string | null; notes: Readonly<Record<string, unknown>> }
);

/**
 * What happens to an entry: `create` a content; `link` the content that another collection has; `replace` the bytes of the
 * existing content; `rerun` the ingestion of the existing content; `keep` it unchanged.
 */
export type EntryAction = 'create' | 'link' | 'replace' | 'rerun' | 'keep';
export type PlannedEntry = {
  entry: FoundEntry;
  action: EntryAction;
  known: KnownEntry | null;
  content: NewContent;
  key: string;
};

/** The run that unpacks `archive`. `services` uses the stores of the transaction. */
export type EntryImport = { services: Services; scope: Scope; run: RunKey; archive: ArchiveRun };

/**
 * Compares the entries found with the contents that exist.
 * @throws AppError `dependency_unavailable` while one of them is still being deleted from the collection.
 */
export async function planEntries(
  { services, scope, run, archive }: EntryImport,
  entries: readonly FoundEntry[],
): Promise<PlannedEntry[]> {
  const keyOf = (entry: FoundEntry) => entryKey(archive.content_id, entry.key);
  const rows = await services.stores.entries.findByKeys(scope, run.collection_id, entries.map(keyOf));
  const knownByKey = Map.groupBy(rows, (row) => row.part_key);
  return entries.map((entry) => {
    const everywhere = knownByKey.get(keyOf(entry)) ?? [];
    const here = everywhere.find((row) => row.collection_id === run.collection_id);
    if (here?.stage === 'deleting')
      throw new AppError('dependency_unavailable', 'An archive entry is still being deleted from this collection.');
    const action = here ? actionFor(entry, here, archive) : everywhere.length > 0 ? 'link' : 'create';
    const known = here ?? everywhere[0] ?? null;
    return { entry, action, known, content: contentOf(archive, { entry, known, run }), key: keyOf(entry) };
  });
}

function actionFor(entry: FoundEntry, here: KnownEntry, archive: ArchiveRun): EntryAction {
  if (entry.refusal) return 'rerun';
  if (here.content_hash !== entry.blob.sha256 || here.name !== entry.path) return 'replace';
  return here.reader === archive.reader && isUpToDate(here) ? 'keep' : 'rerun';
}

/**
 * Whether this collection has published the present bytes of the entry, or is about to. Another collection that contains the
 * entry may have replaced its bytes in the meantime.
 */
function isUpToDate(here: KnownEntry): boolean {
  if (here.stage === 'ready') return here.active_text_key === textKey(here);
  if (here.stage === 'indexing') return here.text_key === textKey(here);
  return here.stage === 'pending';
}

function contentOf(
  archive: ArchiveRun,
  { entry, known, run }: { entry: FoundEntry; known: KnownEntry | null; run: RunKey },
): NewContent {
  const { collection_id: collectionId } = run;
  const { content_id: archiveId, version } = archive;
  const { uploaded_by } = archive.file_data;
  const { external_id: _, ...inherited } = archive.metadata;
  return {
    id: known?.content_id ?? entryId({ collectionId, archiveId, version, key: entry.key }),
    name: entry.path,
    description: null,
    metadata: { ...known?.metadata, ...inherited },
    type: entry.refusal ? null : (entry.type ?? 'application/octet-stream'),
    size: entry.refusal ? null : entry.blob.sizeBytes,
    content_hash: entry.refusal ? null : entry.blob.sha256,
    file_data: {
      original_name: entry.path.split('/').at(-1) ?? entry.path,
      path: entry.path,
      ...(entry.refusal ? {} : entry.notes),
      ...(uploaded_by === undefined ? {} : { uploaded_by }),
    },
    external_id: null,
    source: 'file',
    url: null,
    created_by: archive.created_by,
    linked_to: archiveId,
    part_of: archiveId,
    part_root: archive.root_id,
    part_depth: archive.depth + 1,
  };
}
