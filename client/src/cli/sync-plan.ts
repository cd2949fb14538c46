import { stat } from 'node:fs/promises';
import { extname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { LociClient } from '../create-loci-client.ts';
import { dataOf } from '../data-of.ts';
import { paginate } from '../paginate.ts';
import type { components } from '../schema.ts';
import { NOT_PRESENT, sha256Of } from '../upload/present-contents.ts';
import {
  externalIdOfPath,
  hasHiddenPart,
  isHashedId,
  isIdInFolder,
  nameOfPath,
  type FoundFile,
} from './content-path.ts';

type Content = components['schemas']['Content'];
type Metadata = Readonly<Record<string, unknown>>;

/** Keys of the metadata of contents that a synchronization has put into the collection. Only these contents are deleted by it. */
export const SYNC_MARKS = { from: 'synced_from', origin: 'synced_origin' } as const;

/** A content of the collection, as far as a synchronization needs it. */
export type KnownContent = Pick<Content, 'id' | 'name' | 'status' | 'size' | 'content_hash' | 'metadata'> & {
  external_id: string;
};

export type SyncPlan = {
  /** Files to send: new ones, and those whose bytes or metadata differ, or that are not searchable. */
  added: FoundFile[];
  replaced: { content: KnownContent; file: FoundFile }[];
  /** Contents of files that have another path now. */
  moved: { content: KnownContent; file: FoundFile }[];
  unchanged: KnownContent[];
  /** Contents of files that no longer exist. */
  gone: KnownContent[];
  /** Contents with a path in this folder that something else put there, and whose files do not exist. They stay. */
  foreign: KnownContent[];
};

/** Files with the metadata that is sent with them; undefined leaves that of their contents as it is. */
export type Sending = { files: FoundFile[]; metadata: Metadata | undefined };

/** Lists the contents of a collection whose paths are in a folder of this name. */
export async function listSynced(
  loci: LociClient,
  of: { collectionId: string; name: string; signal: AbortSignal },
): Promise<KnownContent[]> {
  const found: KnownContent[] = [];
  const query = { collection_id: of.collectionId, limit: 1000 };
  for await (const content of paginate(loci.api, '/api/v1/contents', { query, isCurrent: true, signal: of.signal })) {
    const { id, name, status, size, content_hash, metadata, external_id } = content;
    if (external_id === null || status === 'deleting' || !isIdInFolder(external_id, of.name)) continue;
    found.push({ id, name, status, size, content_hash, metadata, external_id });
  }
  return found;
}

/** Compares the files of a folder with the contents of the collection. Contents whose files exist and were not read stay as they are. */
export async function planSync(
  files: readonly FoundFile[],
  known: readonly KnownContent[],
  wanted: { name: string; metadata: Metadata | undefined; hidden: boolean; isUnread: (externalId: string) => boolean },
): Promise<SyncPlan> {
  const plan: SyncPlan = { added: [], replaced: [], moved: [], unchanged: [], gone: [], foreign: [] };
  const left = new Map(known.map((content) => [content.external_id, content]));
  for (const file of files) {
    const id = externalIdOfPath(file.contentPath);
    const content = left.get(id);
    left.delete(id);
    if (content === undefined) plan.added.push(file);
    else if (await isUnchanged(file, content, wanted.metadata)) plan.unchanged.push(content);
    else plan.replaced.push({ content, file });
  }
  for (const content of left.values()) {
    if (!isIdInFolder(content.external_id, wanted.name) || wanted.isUnread(content.external_id)) continue;
    if (content.metadata[SYNC_MARKS.from] !== wanted.name) {
      // A hashed path does not tell its folder.
      if (!isHashedId(content.external_id)) plan.foreign.push(content);
    } else if (wanted.hidden || !hasHiddenPart(content, wanted.name)) plan.gone.push(content);
  }
  return findMoved(plan, wanted.metadata);
}

/** A file that has the bytes of a content whose file is gone, and its extension, which may tell the type, has been moved. */
async function findMoved(plan: SyncPlan, metadata: Metadata | undefined): Promise<SyncPlan> {
  const candidates = new Map<string, Map<string | null, KnownContent[]>>();
  for (const content of plan.gone) {
    if (content.status !== 'ready' || !hasMetadata(content, metadata)) continue;
    const key = `${content.size} ${extname(content.name)}`;
    const byHash = candidates.get(key) ?? new Map<string | null, KnownContent[]>();
    const alike = byHash.get(content.content_hash) ?? [];
    alike.push(content);
    candidates.set(key, byHash.set(content.content_hash, alike));
  }
  const added: FoundFile[] = [];
  const moved: SyncPlan['moved'] = [];
  for (const file of plan.added) {
    const byHash = candidates.get(`${await sizeOf(file.path)} ${extname(file.contentPath)}`);
    const hash = byHash === undefined ? null : await sha256Of(file.path);
    const content = hash === null ? undefined : byHash?.get(hash)?.shift();
    if (content === undefined) added.push(file);
    else moved.push({ content, file });
  }
  const taken = new Set(moved.map(({ content }) => content));
  return { ...plan, added, moved, gone: plan.gone.filter((content) => !taken.has(content)) };
}

/**
 * Groups changed files by the metadata to send with them. The service replaces all metadata of a content when some is sent.
 * So without `metadata`, nothing is sent for contents that have the marks, and for others what they have with the marks.
 */
export function groupReplaced(
  replaced: SyncPlan['replaced'],
  marks: Metadata,
  metadata: Metadata | undefined,
): Sending[] {
  const groups = new Map<string | undefined, Sending>();
  for (const { content, file } of replaced) {
    const { external_id: _, ...own } = content.metadata;
    const isMarked = Object.entries(marks).every(([key, value]) => own[key] === value);
    const sent = metadata === undefined && isMarked ? undefined : { ...(metadata ?? own), ...marks };
    const key = JSON.stringify(sent);
    const group = groups.get(key) ?? { files: [], metadata: sent };
    group.files.push(file);
    groups.set(key, group);
  }
  return [...groups.values()];
}

async function isUnchanged({ path }: FoundFile, content: KnownContent, metadata: Metadata | undefined) {
  // What was only stored is sent again, which makes it searchable.
  if (NOT_PRESENT.has(content.status) || content.status === 'stored' || !hasMetadata(content, metadata)) return false;
  return (await sizeOf(path)) === content.size && (await sha256Of(path)) === content.content_hash;
}

function hasMetadata(content: KnownContent, metadata: Metadata | undefined): boolean {
  const { external_id: _, [SYNC_MARKS.from]: _from, [SYNC_MARKS.origin]: _origin, ...own } = content.metadata;
  return metadata === undefined || isDeepStrictEqual(own, metadata);
}

/** Returns the size of a file; null if it cannot be read. */
export async function sizeOf(path: string): Promise<number | null> {
  return stat(path).then(
    ({ size }) => size,
    () => null,
  );
}

/** Gives a content the path of its file. It stays searchable, and nothing is sent or ingested again. */
export async function moveContent(loci: LociClient, { content, file }: SyncPlan['moved'][number]): Promise<void> {
  const metadata = { ...content.metadata, external_id: externalIdOfPath(file.contentPath) };
  const params = { path: { content_id: content.id } };
  const body = { name: nameOfPath(file.contentPath), metadata };
  await dataOf(loci.api.PATCH('/api/v1/contents/{content_id}', { params, body }));
}

/** Refusals of a file as it is. Whatever else changes, they stay. */
const LASTING: ReadonlySet<string> = new Set(['empty_file', 'unsupported_type', 'file_too_large']);

/** Returns true if a file failed that may succeed later: until then, its text may only be in contents whose files are gone. */
export function preventsDeletions(failures: readonly { code: string }[]): boolean {
  return failures.some(({ code }) => !LASTING.has(code));
}
