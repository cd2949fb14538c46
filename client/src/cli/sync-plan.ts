import { stat } from 'node:fs/promises';
import { extname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { LociClient } from '../create-loci-client.ts';
import { dataOf } from '../data-of.ts';
import { paginate } from '../paginate.ts';
import type { components } from '../schema.ts';
import { NOT_PRESENT, sha256Of } from '../upload/present-contents.ts';
import { externalIdOfPath, nameOfPath, type FoundFile } from './content-path.ts';

type Content = components['schemas']['Content'];
type Metadata = Readonly<Record<string, unknown>>;

/** Keys of the metadata of contents that a synchronization has put into the collection. Only these contents are deleted by it. */
export const SYNC_MARKS = { from: 'synced_from', origin: 'synced_origin' } as const;

/** A content of the collection, as far as a synchronization needs it. */
export type KnownContent = Pick<Content, 'id' | 'name' | 'status' | 'size' | 'content_hash' | 'metadata'> & {
  external_id: string;
};

export type SyncPlan = {
  /** Files to send: new ones, and those whose bytes or metadata differ. */
  added: FoundFile[];
  replaced: FoundFile[];
  /** Contents of files that have another path now. */
  moved: { content: KnownContent; file: FoundFile }[];
  unchanged: KnownContent[];
  /** Contents of files that no longer exist. */
  gone: KnownContent[];
  /** Contents with a path in this folder that something else put there, and whose files do not exist. They stay. */
  foreign: KnownContent[];
};

/** Lists the contents of a collection whose paths are in a folder of this name. */
export async function listSynced(
  loci: LociClient,
  of: { collectionId: string; name: string; signal: AbortSignal },
): Promise<KnownContent[]> {
  const found: KnownContent[] = [];
  const within = externalIdOfPath(`${of.name}/`);
  const query = { collection_id: of.collectionId, limit: 1000 };
  for await (const content of paginate(loci.api, '/api/v1/contents', { query, signal: of.signal })) {
    const { id, name, status, size, content_hash, metadata, external_id } = content;
    const isWithin = external_id?.startsWith(within) === true || metadata[SYNC_MARKS.from] === of.name;
    if (external_id === null || !isWithin || status === 'deleting') continue;
    found.push({ id, name, status, size, content_hash, metadata, external_id });
  }
  return found;
}

/** Compares the files of a folder with the contents of the collection. */
export async function planSync(
  files: readonly FoundFile[],
  known: readonly KnownContent[],
  wanted: { name: string; metadata: Metadata | undefined },
): Promise<SyncPlan> {
  const plan: SyncPlan = { added: [], replaced: [], moved: [], unchanged: [], gone: [], foreign: [] };
  const left = new Map(known.map((content) => [content.external_id, content]));
  for (const file of files) {
    const id = externalIdOfPath(file.contentPath);
    const content = left.get(id);
    left.delete(id);
    if (content === undefined) plan.added.push(file);
    else if (await isUnchanged(file, content, wanted.metadata)) plan.unchanged.push(content);
    else plan.replaced.push(file);
  }
  for (const content of left.values()) {
    (content.metadata[SYNC_MARKS.from] === wanted.name ? plan.gone : plan.foreign).push(content);
  }
  return findMoved(plan, wanted.metadata);
}

/** A file that has the bytes of a content whose file is gone, and its extension, which may tell the type, has been moved. */
async function findMoved(plan: SyncPlan, metadata: Metadata | undefined): Promise<SyncPlan> {
  const candidates = new Map<string, KnownContent[]>();
  for (const content of plan.gone) {
    if (content.status !== 'ready') continue;
    const key = `${content.size} ${extname(content.name)}`;
    candidates.set(key, [...(candidates.get(key) ?? []), content]);
  }
  const added: FoundFile[] = [];
  const moved: SyncPlan['moved'] = [];
  for (const file of plan.added) {
    const alike = candidates.get(`${await sizeOf(file.path)} ${extname(file.contentPath)}`) ?? [];
    const hash = alike.length === 0 ? null : await sha256Of(file.path);
    const index = alike.findIndex((content) => content.content_hash === hash && hasMetadata(content, metadata));
    const [content] = index === -1 ? [] : alike.splice(index, 1);
    if (content === undefined) added.push(file);
    else moved.push({ content, file });
  }
  const taken = new Set(moved.map(({ content }) => content));
  return { ...plan, added, moved, gone: plan.gone.filter((content) => !taken.has(content)) };
}

async function isUnchanged({ path }: FoundFile, content: KnownContent, metadata: Metadata | undefined) {
  if (NOT_PRESENT.has(content.status) || !hasMetadata(content, metadata)) return false;
  return (await sizeOf(path)) === content.size && (await sha256Of(path)) === content.content_hash;
}

function hasMetadata(content: KnownContent, metadata: Metadata | undefined): boolean {
  const { external_id: _, [SYNC_MARKS.from]: _from, [SYNC_MARKS.origin]: _origin, ...own } = content.metadata;
  return metadata === undefined || isDeepStrictEqual(own, metadata);
}

async function sizeOf(path: string): Promise<number | null> {
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
