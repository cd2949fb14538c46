import { setTimeout as delay } from 'node:timers/promises';
import { SearchResponse } from '#domain/records/search.ts';
import { UploadResponse } from '#domain/records/upload.ts';
import { formFor, type ApiClient } from '#test/support/harness/api-client.ts';
import type { SeededRandom } from '#test/support/harness/seeded-random.ts';
import type { AcknowledgedContent } from './round-result.ts';

const MAX_PAUSE_MS = 1_500;
const POLL_MS = 100;
const GIVE_UP_MS = 60_000;

type Sender = { api: ApiClient; random: SeededRandom; collectionId: string; name: string };

/** Single texts that are uploaded while processes are killed. */
export type SingleTexts = {
  /** Stops sending. Returns the texts that were acknowledged. */
  stop(): Promise<AcknowledgedContent[]>;
};

/** Uploads one text after the other, at random moments. Requests that fail because a process is down are given up. */
export function startSingleTexts(sender: Sender): SingleTexts {
  const sent: AcknowledgedContent[] = [];
  const stopping = new AbortController();
  const sendAll = async () => {
    for (let number = 0; !stopping.signal.aborted; number += 1) {
      const text = await sendText(sender, `Single ${sender.name}x${number} stands alone.`).catch(() => null);
      if (text) sent.push(text);
      await delay(sender.random.between(0, MAX_PAUSE_MS));
    }
  };
  const sending = sendAll();
  return {
    stop: async () => {
      stopping.abort();
      await sending;
      return sent;
    },
  };
}

async function sendText({ api, collectionId }: Sender, sentence: string): Promise<AcknowledgedContent> {
  const body = formFor(collectionId, [['content', sentence]]);
  const { uploads } = await api.post('/upload', UploadResponse, { body, status: 202 });
  const contentId = uploads[0]?.content_id;
  if (contentId === undefined) throw new Error('the text was not accepted');
  return { contentId, collectionId, sentence, expectedOutcome: 'ready', deletionId: null, sha256: null };
}

/** Waits until a search finds every text. Returns the milliseconds until the last one was found; at most a minute. */
export async function timeUntilFound(api: ApiClient, texts: readonly AcknowledgedContent[]): Promise<number> {
  const startedMs = performance.now();
  const elapsedMs = () => performance.now() - startedMs;
  for (const text of texts) {
    while (!(await isFound(api, text).catch(() => false))) {
      if (elapsedMs() > GIVE_UP_MS) return elapsedMs();
      await delay(POLL_MS);
    }
  }
  return elapsedMs();
}

async function isFound(api: ApiClient, { collectionId, contentId, sentence }: AcknowledgedContent): Promise<boolean> {
  const json = { collection_id: collectionId, query: sentence, search_type: 'keyword', max_results: 10 };
  const { results } = await api.post('/collections/search', SearchResponse, { json });
  return results.some((result) => result.content_id === contentId);
}
