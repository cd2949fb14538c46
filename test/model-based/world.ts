import type { ApiKey } from '#domain/records/api-key.ts';
import type { Collection } from '#domain/records/collection.ts';
import type { Content } from '#domain/records/content.ts';
import type { Conversation } from '#domain/records/conversation.ts';
import type { MemoryDetail } from '#domain/records/memory.ts';
import type { Message } from '#domain/records/message.ts';

/** A created resource with the record that the service must return. Deleted ones are kept, so that commands can request them. */
type Known<Shown> = { record: Shown; isDeleted: boolean };

export type KnownCollection = Known<Collection> & { clientStats: Record<string, unknown> };
export type KnownContent = Known<Content> & { text: string };
export type KnownConversation = Known<Conversation> & { messages: Message[] };
/** `versions` has the oldest first and is never empty. */
export type KnownMemory = { isDeleted: boolean; versions: [MemoryDetail, ...MemoryDetail[]] };
export type KnownKey = Known<ApiKey> & { secret: string; previousSecrets: string[] };

/** The model: the expected state of one workspace. Every list is in order of creation. */
export type World = {
  collections: KnownCollection[];
  contents: KnownContent[];
  conversations: KnownConversation[];
  memories: KnownMemory[];
  keys: KnownKey[];
  /** Deletions whose receipts have not been checked yet. */
  deletions: { id: string; subjectId: string; contents: number }[];
  /** A counter that makes texts and keys unique. */
  serial: number;
};

/** An empty model. */
export function emptyWorld(): World {
  return { collections: [], contents: [], conversations: [], memories: [], keys: [], deletions: [], serial: 0 };
}

/** Selects an item by number: usually an existing one, occasionally one that may be deleted. Null if the list is empty. */
export function pick<One extends { isDeleted: boolean }>(all: readonly One[], at: number): One | null {
  const there = all.filter(({ isDeleted }) => !isDeleted);
  const pool = at % 8 === 0 || there.length === 0 ? all : there;
  return pool[Math.floor(at / 8) % Math.max(1, pool.length)] ?? null;
}

/** The items that have not been deleted. */
export function existing<One extends { isDeleted: boolean }>(all: readonly One[]): One[] {
  return all.filter(({ isDeleted }) => !isDeleted);
}

/** The contents of a collection that have not been deleted. */
export function contentsOf(world: World, collectionId: string): KnownContent[] {
  return existing(world.contents).filter(({ record }) => record.collection_id === collectionId);
}

/** A collection with its expected statistics: every text of the model is one chunk long. */
export function shownCollection(world: World, { record, clientStats }: KnownCollection): Collection {
  const contents = contentsOf(world, record.id);
  const stats = {
    ...clientStats,
    contents: contents.length,
    contents_by_status: contents.length === 0 ? {} : { ready: contents.length },
    chunks: contents.length,
    bytes: contents.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0),
  };
  return { ...record, stats };
}

/** The current version of a memory. */
export function currentVersion({ versions }: KnownMemory): MemoryDetail {
  return versions.at(-1) ?? versions[0];
}
