import type { ApiKey } from '#domain/records/api-key.ts';
import type { Collection } from '#domain/records/collection.ts';
import type { Content } from '#domain/records/content.ts';
import type { Conversation } from '#domain/records/conversation.ts';
import type { MemoryDetail } from '#domain/records/memory.ts';
import type { Message } from '#domain/records/message.ts';

/** A thing that was made: its record as it has to be shown. What was deleted stays, so that it can be asked for. */
type Known<Shown> = { record: Shown; isGone: boolean };

export type KnownCollection = Known<Collection> & { clientStats: Record<string, unknown> };
export type KnownContent = Known<Content> & { text: string };
export type KnownConversation = Known<Conversation> & { messages: Message[] };
/** Versions oldest first, never empty. */
export type KnownMemory = { isGone: boolean; versions: [MemoryDetail, ...MemoryDetail[]] };
export type KnownKey = Known<ApiKey> & { secret: string; formerSecrets: string[] };

/** What a client of one workspace knows of it: the model. Every list is in the order in which its things were made. */
export type World = {
  collections: KnownCollection[];
  contents: KnownContent[];
  conversations: KnownConversation[];
  memories: KnownMemory[];
  keys: KnownKey[];
  /** Deletions whose receipts were not looked at yet. */
  deletions: { id: string; subjectId: string; contents: number }[];
  /** Makes texts unlike each other. */
  serial: number;
};

/** A world of nothing. */
export function emptyWorld(): World {
  return { collections: [], contents: [], conversations: [], memories: [], keys: [], deletions: [], serial: 0 };
}

/** One of a kind by any number: mostly one that is there, now and then one that may be gone. Null when none was made. */
export function pick<One extends { isGone: boolean }>(all: readonly One[], at: number): One | null {
  const there = all.filter(({ isGone }) => !isGone);
  const pool = at % 8 === 0 || there.length === 0 ? all : there;
  return pool[Math.floor(at / 8) % Math.max(1, pool.length)] ?? null;
}

/** Those that are there. */
export function living<One extends { isGone: boolean }>(all: readonly One[]): One[] {
  return all.filter(({ isGone }) => !isGone);
}

/** The contents of a collection that are there. */
export function contentsOf(world: World, collectionId: string): KnownContent[] {
  return living(world.contents).filter(({ record }) => record.collection_id === collectionId);
}

/** A collection with the statistics that it has to show: all texts of the model are one chunk long. */
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

/** The version of a memory that is valid now. */
export function currentVersion({ versions }: KnownMemory): MemoryDetail {
  return versions.at(-1) ?? versions[0];
}
