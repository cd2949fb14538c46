import { AppError } from '#domain/app-error.ts';
import { extractedMemoryId, MEMORY_EXTRACTION, memoryObjectId } from '#domain/memories/memory-ids.ts';
import type { Scope } from '#domain/access/scope.ts';
import type { ExtractionSource } from '#store/conversations/messages.ts';
import type { NewMemory } from '#store/memories/memories.ts';
import type { ComparableMemory, ComparedVersion, Supersession } from '#store/memories/memory-supersessions.ts';
import type { Stores } from '#store/stores.ts';
import { toStorableText, type ModelAccess } from './ask-chat-model.ts';
import {
  findContradictions,
  listComparedMemories,
  MAX_COMPARED,
  type FactsOfUser,
  type FoundContradiction,
} from './find-contradictions.ts';

/** The worker's loop indexes them at once. */
const LEFT_TO_THE_WORKER = { leaseMs: 0, dueMs: 0 };
/** How often facts are compared with what other conversations of the user stored meanwhile, before a later attempt does. */
const MAX_ROUNDS = 5;

/** `isTruncated`: the facts are from the beginning of the message only, and say so in their metadata. */
type ExtractedFacts = { source: ExtractionSource; facts: readonly string[]; isTruncated: boolean };
type FactsToInsert = ExtractedFacts & { contradictions: readonly FoundContradiction[] };

/**
 * Stores the memories of a message, each with what it supersedes. Of a fact and a memory that contradict each other, the one that
 * was said later stays current, in whatever order they are extracted. Extractions of one user commit one after the other: all
 * that others stored since the comparison began is compared as well, so that the model sees any two facts of concurrent
 * conversations together. Returns the number of memories added.
 */
export async function storeComparedFacts(access: ModelAccess, extracted: ExtractedFacts): Promise<number> {
  const { services, scope } = access;
  const { source, facts } = extracted;
  const ofUser: FactsOfUser = { userId: source.memory_user_id, facts, statedAt: source.stated_at };
  const contradictions: FoundContradiction[] = [];
  const seen = new Set<string>();
  const since = await readClockBetweenExtractions(services.stores, scope, ofUser.userId);
  let unseen = facts.length === 0 ? [] : await listComparedMemories(services, scope, ofUser);
  for (let round = 1; round <= MAX_ROUNDS; round += 1) {
    contradictions.push(...(await findContradictions(access, ofUser, unseen)));
    for (const { memory_id } of unseen) seen.add(memory_id);
    const outcome = await services.stores.transaction(async (stores) => {
      await stores.memorySupersessions.lockUser(scope, ofUser.userId);
      unseen = facts.length === 0 ? [] : await listUnseen(stores, scope, { userId: ofUser.userId, since, seen });
      if (unseen.length > 0) return null;
      return insertFacts(stores, scope, { ...extracted, contradictions });
    });
    if (outcome !== null) return outcome;
  }
  const message = 'Other conversations of the same user are being extracted; the facts are compared again.';
  throw new AppError('dependency_unavailable', message);
}

/**
 * Stores the text of a message as a memory, which is compared with nothing, and says so in its metadata when the text is too long
 * for one. Returns the number of memories added.
 */
export function storeVerbatim({ services, scope }: ModelAccess, source: ExtractionSource): Promise<number> {
  const text = toStorableText(source.content);
  const isTruncated = text.length < source.content.replaceAll('\0', '').trim().length;
  return services.stores.transaction(async (stores) => {
    await stores.memorySupersessions.lockUser(scope, source.memory_user_id);
    return insertFacts(stores, scope, { source, facts: [text], contradictions: [], isTruncated });
  });
}

/**
 * Reads the clock while no extraction of the user runs its transaction: what was inserted before is committed, and what is inserted
 * later has a later time.
 */
function readClockBetweenExtractions(stores: Stores, scope: Scope, userId: string): Promise<Date> {
  return stores.transaction(async ({ memorySupersessions }) => {
    await memorySupersessions.lockUser(scope, userId);
    return memorySupersessions.readClock();
  });
}

function listUnseen(
  stores: Stores,
  scope: Scope,
  { userId, since, seen }: { userId: string; since: Date; seen: ReadonlySet<string> },
): Promise<ComparableMemory[]> {
  const span = { since, except: [...seen], limit: MAX_COMPARED };
  return stores.memorySupersessions.listExtractedSince(scope, userId, span);
}

/** Claims the message and inserts its memories in the same transaction, so that a repeated or concurrent run adds none. */
async function insertFacts(
  stores: Stores,
  scope: Scope,
  { source, facts, contradictions, isTruncated }: FactsToInsert,
): Promise<number> {
  const claimed = await stores.messages.claimForExtraction(scope, [source.id]);
  if (claimed.length === 0) return 0;
  const memories = facts.map((memory, index): NewMemory => {
    const id = extractedMemoryId(source.id, index);
    return {
      id,
      objectId: memoryObjectId(id, 1),
      userId: source.memory_user_id,
      memoryType: 'user',
      memory,
      topics: [],
      metadata: { source: 'conversation', message_id: source.id, ...(isTruncated ? { truncated: true } : {}) },
      createdBy: MEMORY_EXTRACTION,
      statedAt: source.stated_at,
    };
  });
  await stores.memories.insert(scope, memories, LEFT_TO_THE_WORKER);
  const supersessions = toSupersessions(source, contradictions);
  await stores.memorySupersessions.supersede(scope, source.memory_user_id, supersessions);
  return facts.length;
}

/** Decides by the time of each which of the two supersedes the other. */
function toSupersessions(
  source: ExtractionSource,
  contradictions: readonly FoundContradiction[],
): readonly Supersession[] {
  return contradictions.map(({ fact, memory }) => {
    const ofFact: ComparedVersion = { id: extractedMemoryId(source.id, fact), version: 1 };
    const ofMemory: ComparedVersion = { id: memory.memory_id, version: memory.version };
    const isLater = memory.stated_at.getTime() <= source.stated_at.getTime();
    return isLater ? { superseded: ofMemory, by: ofFact } : { superseded: ofFact, by: ofMemory };
  });
}
