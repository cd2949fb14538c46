import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { SearchResponse } from '#domain/records/search.ts';
import { UploadResponse } from '#domain/records/upload.ts';

const API = '/api/v1';
/** Often enough to add little to what is measured. */
const POLL_MS = 50;

export type PromptClient = ReturnType<typeof createPromptClient>;

/** Uploads single texts as a person would, and measures how long each takes until a search finds it. */
export function createPromptClient(baseUrl: string, apiKey: string) {
  const headers = { 'X-API-Key': apiKey };

  const post = async (path: string, body: object): Promise<unknown> => {
    const response = await fetch(baseUrl + API + path, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`POST ${path} answered ${response.status}: ${await response.text()}`);
    return response.json();
  };

  const isFound = async (collectionId: string, word: string): Promise<boolean> => {
    const search = { collection_id: collectionId, query: word, search_type: 'keyword', max_results: 1 };
    const { results } = SearchResponse.parse(await post('/collections/search', search));
    return results.some(({ content }) => content.includes(word));
  };

  return {
    createWebhook: (url: string, events: readonly string[]) => post('/webhooks', { url, events }),

    createCollection: async (name: string): Promise<string> =>
      z.object({ id: z.string() }).parse(await post('/collections', { name })).id,

    /** Milliseconds from the request that uploads a text to the first search that finds it; null after `timeoutMs`. */
    timeToSearchable: async (collectionId: string, word: string, timeoutMs: number): Promise<number | null> => {
      const form = new FormData();
      form.append('collection_id', collectionId);
      form.append('content', `A short note that has the word ${word} in it.`);
      const startedMs = performance.now();
      const response = await fetch(`${baseUrl}${API}/upload`, { method: 'POST', headers, body: form });
      UploadResponse.parse(await response.json());
      while (performance.now() - startedMs < timeoutMs) {
        if (await isFound(collectionId, word)) return performance.now() - startedMs;
        await delay(POLL_MS);
      }
      return null;
    },
  };
}
