import { AppError } from '#domain/app-error.ts';
import { contradictionQuestion, parseContradictions, type Statement } from '#domain/memories/contradiction-question.ts';
import type { Scope } from '#domain/access/scope.ts';
import { embedSearch, searchMemoryIndex } from '#operations/memories/search-memory-index.ts';
import type { Services } from '#operations/services.ts';
import type { ComparableMemory } from '#store/memories/memory-supersessions.ts';
import { askChatModel, type ModelAccess } from './ask-chat-model.ts';

/** Memories that search finds for each fact. */
const SIMILAR_PER_FACT = 5;
/** Extracted memories that are compared whether or not search finds them: it may not know them yet. */
const LAST_EXTRACTED = 20;
/** Most memories of one question. */
export const MAX_COMPARED = 40;
/** Any word will do. */
const PROBE = 'memory';

/** The facts of one message, all said at the same time. */
export type FactsOfUser = { userId: string; facts: readonly string[]; statedAt: Date };

/** A fact by its position, and a memory that it contradicts. */
export type FoundContradiction = { fact: number; memory: ComparableMemory };

/**
 * Requires that the memories of a workspace can be searched. Before the first one is indexed, there may be no index to ask.
 * @throws AppError of the index or of the embedder.
 */
export async function requireSearch(services: Services, scope: Scope): Promise<void> {
  if (!(await services.stores.memoryProjections.hasIndexedVersions(scope))) return;
  const vector = await embedSearch(services, scope, { query: PROBE, type: 'hybrid' });
  await searchMemoryIndex(services, scope, { type: 'hybrid', text: PROBE, vector, userId: null, asOf: null, limit: 1 });
}

/** Returns current memories of the user that may contradict the facts: what was extracted last, and what is similar. */
export async function listComparedMemories(
  services: Services,
  scope: Scope,
  { userId, facts }: FactsOfUser,
): Promise<ComparableMemory[]> {
  const { memoryProjections, memorySupersessions } = services.stores;
  const latest = await memorySupersessions.listLastExtracted(scope, userId, LAST_EXTRACTED);
  // As in `requireSearch`.
  if (!(await memoryProjections.hasIndexedVersions(scope))) return latest;
  const similar = new Set<string>();
  for (const text of facts) {
    const vector = await vectorOf(services, scope, text);
    const type = vector === null ? 'keyword' : 'hybrid';
    const query = { type, text, vector, userId, asOf: null, limit: SIMILAR_PER_FACT } as const;
    for (const row of await searchMemoryIndex(services, scope, query)) similar.add(row.memory_id);
  }
  for (const { memory_id } of latest) similar.delete(memory_id);
  const ids = [...similar].slice(0, MAX_COMPARED - latest.length);
  return [...latest, ...(await memorySupersessions.listComparable(scope, userId, ids))];
}

/** Null for a text that the embedder rejects, whenever it is asked: such a fact is compared with what words find. */
async function vectorOf(services: Services, scope: Scope, text: string): Promise<Float32Array | null> {
  try {
    return await embedSearch(services, scope, { query: text, type: 'hybrid' });
  } catch (error) {
    if (error instanceof AppError && error.code === 'embedding_rejected') return null;
    throw error;
  }
}

/**
 * Asks the chat model which of the memories contradict which facts. Without a usable answer, none does.
 * @throws AppError of the model, so that Temporal retries the activity.
 */
export async function findContradictions(
  access: ModelAccess,
  { facts, statedAt }: FactsOfUser,
  memories: readonly ComparableMemory[],
): Promise<FoundContradiction[]> {
  if (facts.length === 0 || memories.length === 0) return [];
  const statements = facts.map((text): Statement => ({ text, statedAt }));
  const known = memories.map(({ memory, stated_at }): Statement => ({ text: memory, statedAt: stated_at }));
  const answer = await askChatModel(access, contradictionQuestion(statements, known));
  const shown = { facts: facts.length, memories: memories.length };
  return parseContradictions(answer ?? '', shown).flatMap(({ fact, memory }) => {
    const found = memories[memory];
    return found ? [{ fact, memory: found }] : [];
  });
}
