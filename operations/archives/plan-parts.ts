import type { StoredBlob } from '#domain/blob-store.ts';
import { AppError } from '#domain/app-error.ts';
import type { RunKey } from '#domain/uploads/ingest-jobs.ts';
import { partId, partKey } from '#domain/archives/part-identity.ts';
import type { Scope } from '#domain/access/scope.ts';
import { textKey } from '#domain/contents/text-key.ts';
import type { NewContent } from '#store/contents/contents.ts';
import type { KnownPart, PartHolder } from '#store/archives/parts.ts';
import type { Services } from '#operations/services.ts';

/** A file that was found in an archive or a message: stored, or refused with a reason of its own. */
export type FoundPart = { key: string; path: string } & (
  | { refusal: { code: string; message: string } }
  | { refusal: null; blob: StoredBlob; type: string | null; notes: Readonly<Record<string, unknown>> }
);

/**
 * What a part is to be: a `fresh` content, one that another collection has (`linked`), one with other bytes (`replaced`), one that
 * runs `again`, or one that is `kept` as it is.
 */
export type PartAction = 'fresh' | 'linked' | 'replaced' | 'again' | 'kept';
export type PlannedPart = {
  part: FoundPart;
  fate: PartAction;
  known: KnownPart | null;
  content: NewContent;
  key: string;
};

/** A run that takes parts out of a content, with the stores of its transaction. */
export type Taking = { services: Services; scope: Scope; run: RunKey; holder: PartHolder };

/**
 * Compares what was found with what is there.
 * @throws AppError `dependency_unavailable` while one of them is still on its way out of the collection.
 */
export async function planParts(
  { services, scope, run, holder }: Taking,
  parts: readonly FoundPart[],
): Promise<PlannedPart[]> {
  const keyOf = (part: FoundPart) => partKey(holder.content_id, part.key);
  const rows = await services.stores.parts.known(scope, run.collection_id, parts.map(keyOf));
  const known = Map.groupBy(rows, (one) => one.part_key);
  return parts.map((part) => {
    const all = known.get(keyOf(part)) ?? [];
    const here = all.find((one) => one.collection_id === run.collection_id);
    if (here?.stage === 'deleting')
      throw new AppError('dependency_unavailable', 'A file that it holds is still being deleted from this collection.');
    const fate = here ? fateOf(part, here, holder) : all.length > 0 ? 'linked' : 'fresh';
    const found = here ?? all[0] ?? null;
    return { part, fate, known: found, content: contentOf(holder, { part, found, run }), key: keyOf(part) };
  });
}

function fateOf(part: FoundPart, here: KnownPart, holder: PartHolder): PartAction {
  if (part.refusal) return 'again';
  if (here.content_hash !== part.blob.sha256 || here.name !== part.path) return 'replaced';
  return here.reader === holder.reader && isUpToDate(here) ? 'kept' : 'again';
}

/** Whether this collection shows the part as it is, or is about to: another one that has it may have replaced its bytes meanwhile. */
function isUpToDate(here: KnownPart): boolean {
  if (here.stage === 'ready') return here.active_text_key === textKey(here);
  if (here.stage === 'indexing') return here.text_key === textKey(here);
  return here.stage === 'pending';
}

function contentOf(
  holder: PartHolder,
  { part, found, run }: { part: FoundPart; found: KnownPart | null; run: RunKey },
): NewContent {
  const { collection_id: collectionId } = run;
  const { content_id: holderId, version } = holder;
  const { uploaded_by } = holder.file_data;
  const { external_id: _, ...inherited } = holder.metadata;
  return {
    id: found?.content_id ?? partId({ collectionId, holderId, version, key: part.key }),
    name: part.path,
    description: null,
    metadata: { ...found?.metadata, ...inherited },
    type: part.refusal ? null : (part.type ?? 'application/octet-stream'),
    size: part.refusal ? null : part.blob.sizeBytes,
    content_hash: part.refusal ? null : part.blob.sha256,
    file_data: {
      original_name: part.path.split('/').at(-1) ?? part.path,
      path: part.path,
      ...(part.refusal ? {} : part.notes),
      ...(uploaded_by === undefined ? {} : { uploaded_by }),
    },
    external_id: null,
    source: 'file',
    url: null,
    created_by: holder.created_by,
    linked_to: holderId,
    part_of: holderId,
    part_root: holder.root_id,
    part_depth: holder.depth + 1,
  };
}
