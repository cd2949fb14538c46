import { dataOf, type components, type LociClient } from '@loci/client';
import { tool } from 'ai';
import { z } from 'zod';
import { readPart, type ReadPart } from './read-part.ts';
import { requireReadable } from './require-readable.ts';

type Schemas = components['schemas'];

/** What the tools may reach. The model chooses queries, and never the collections, the user or the filters. */
export type LociToolOptions = {
  /** Collections to search and to read; none means every collection that the key reaches. */
  collectionIds?: readonly string[];
  /** Largest number of passages or memories of one call; default 5. */
  maxResults?: number;
  /**
   * Further fields of `POST /collections/search`, such as `filters`, `min_score` and `rerank`. Only documents that match `filters` are
   * read. Conditions on `chunk.*` select passages: with them, `readDocument` fails, because a document has many.
   */
  search?: Partial<Omit<Schemas['SearchRequest'], 'query' | 'collection_id' | 'collection_ids' | 'max_results'>>;
  /** The user whose memories are searched and kept. Without one, there are no tools for memories. */
  userId?: string;
  /** Largest number of characters that `readDocument` returns at once; default 8,000. */
  readCharacters?: number;
};

/** A passage as the model sees it. */
export type FoundPassage = { contentId: string; source: string; page: number | null; headings: string[]; text: string };

const MAX_RESULTS = 5;
const READ_CHARACTERS = 8_000;

/**
 * Returns the tools of Loci for `generateText` and `streamText` of the AI SDK. `searchMemories` and `rememberFact` act for the user
 * of the options. An error of the service is the error of the tool, in the service's own words.
 */
export function lociTools(loci: LociClient, options: LociToolOptions = {}) {
  return { ...documentTools(loci, options), ...memoryTools(loci, options) };
}

function documentTools(loci: LociClient, options: LociToolOptions) {
  const limit = options.maxResults ?? MAX_RESULTS;
  return {
    searchDocuments: tool({
      description: 'Search the documents for passages about a question. Cite passages by their source and page.',
      inputSchema: z.object({ query: z.string().min(1).describe('A question, or words to search for.') }),
      async execute({ query }, { abortSignal }): Promise<{ passages: FoundPassage[] }> {
        const body = {
          ...options.search,
          query,
          collection_ids: [...(options.collectionIds ?? [])],
          max_results: limit,
        };
        const found = loci.api.POST('/api/v1/collections/search', { body, ...signalOf(abortSignal) });
        return { passages: (await dataOf(found)).results.map(passageOf) };
      },
    }),
    readDocument: tool({
      description:
        'Read the text of a document that a search found. `next` is the offset of what follows, null at the end.',
      inputSchema: z.object({
        contentId: z.string().describe('`contentId` of a passage.'),
        offset: z.number().int().min(0).default(0).describe('Characters to skip.'),
      }),
      async execute({ contentId, offset }, { abortSignal }): Promise<ReadPart> {
        const signal = signalOf(abortSignal);
        await requireReadable(loci, options, { contentId, ...signal });
        return readPart(loci, { contentId, offset, characters: options.readCharacters ?? READ_CHARACTERS, ...signal });
      },
    }),
  };
}

function memoryTools(loci: LociClient, { userId, maxResults = MAX_RESULTS }: LociToolOptions) {
  const user_id = userId;
  if (user_id === undefined) return {};
  return {
    searchMemories: tool({
      description: 'Search what is known about the user: preferences, facts, earlier decisions.',
      inputSchema: z.object({ query: z.string().min(1).describe('What to look for.') }),
      async execute({ query }, { abortSignal }): Promise<{ memories: { memory: string; since: string }[] }> {
        const body = { query, user_id, limit: maxResults, retrieval_method: 'hybrid' as const };
        const found = loci.api.POST('/api/v1/memories/search', { body, ...signalOf(abortSignal) });
        const { memories } = await dataOf(found);
        return { memories: memories.map(({ memory, created_at }) => ({ memory, since: created_at })) };
      },
    }),
    rememberFact: tool({
      description: 'Keep a fact about the user for later conversations.',
      inputSchema: z.object({ fact: z.string().min(1).describe('One fact, as a sentence that stands by itself.') }),
      async execute({ fact }, { abortSignal }): Promise<{ memoryId: string }> {
        const added = loci.api.POST('/api/v1/memories', { body: { memory: fact, user_id }, ...signalOf(abortSignal) });
        return { memoryId: (await dataOf(added)).memory_id };
      },
    }),
  };
}

function passageOf({ content_id, source, content, chunk }: Schemas['SearchResult']): FoundPassage {
  return { contentId: content_id, source, page: chunk.page, headings: chunk.heading_path, text: content };
}

function signalOf(signal: AbortSignal | undefined): { signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}
