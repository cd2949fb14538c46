import { LociError } from '@loci/client/browser';
import { uploadsTexts } from '../texts/uploads-texts.ts';
import { matchEntries } from './match-entries.ts';
import { BATCH_LIMITS, narrowLimits, planBatch, type BatchLimits } from './plan-batch.ts';
import type { UploadHeaders } from './send-upload.ts';
import { sendUntilAnswered } from './send-until-answered.ts';
import { unreadableFiles } from './unreadable-files.ts';
import type { UploadEntry } from './upload-entry.ts';
import { uploadStore } from './upload-store.ts';

/** One request is sent while the service stores the files of the other. */
const CONCURRENCY = 2;
const TOO_LARGE = 413;
let running = 0;
/** Those of the service, or of a proxy in front of it, are not known before a request is refused. */
let limits = BATCH_LIMITS;
/** The limits before the first refusal of a request with an entry, by its id. */
const limitsBefore = new Map<number, BatchLimits>();
let sender: UploadHeaders | null = null;

export type UploadEvents = {
  /** Called after each request. */
  onAccepted: (collectionId: string) => void;
  /** Called when the credentials are refused. */
  onRefused: () => void;
};

/** Says who sends what waits from now on: a token may be renewed, or somebody else sign in, while a request is on its way. */
export function sendUploadsAs(headers: UploadHeaders | null): void {
  sender = headers;
}

/** Sends what waits, a few requests at a time, until nothing waits any more. */
export function runUploads(events: UploadEvents): void {
  if (sender === null) return;
  while (running < CONCURRENCY) {
    const batch = planBatch(uploadStore.read(), limits);
    const [first] = batch;
    if (first === undefined) return;
    running += 1;
    void sendBatch(batch, events.onRefused).finally(() => {
      running -= 1;
      events.onAccepted(first.collectionId);
      runUploads(events);
    });
  }
}

async function sendBatch(batch: readonly UploadEntry[], onRefused: () => void): Promise<void> {
  const ids = new Set(batch.map(({ id }) => id));
  uploadStore.update(ids, () => ({ state: 'sending', sent: 0, message: null }));
  const over = new AbortController();
  const { signal } = over;
  // Who added them has signed out since, or has stopped them.
  const unsubscribe = uploadStore.subscribe(() => {
    if (!uploadStore.read().some(({ id, state }) => state === 'sending' && ids.has(id))) over.abort();
  });
  try {
    const answer = await sendUntilAnswered(batch, { headers: () => sender, onRefused, signal });
    const outcomes = matchEntries(batch, answer);
    const byId = new Map(batch.map(({ id }, at) => [id, outcomes[at]]));
    for (const id of ids) limitsBefore.delete(id);
    uploadStore.update(ids, ({ id }) => byId.get(id) ?? {});
  } catch (error) {
    // They may wait already to be sent again.
    if (!signal.aborted) await settleRefused(batch, error);
  } finally {
    unsubscribe();
  }
}

async function settleRefused(batch: readonly UploadEntry[], error: unknown): Promise<void> {
  const gone = await unreadableFiles(batch);
  const isSplit = isTooLarge(error) && batch.length > 1;
  if (isTooLarge(error)) adjustLimits(batch);
  uploadStore.update(new Set(batch.map(({ id }) => id)), ({ id }) => {
    if (gone.has(id)) return { state: 'failed', message: uploadsTexts.gone };
    return isSplit || gone.size > 0 ? { state: 'waiting', sent: 0 } : { state: 'failed', message: messageOf(error) };
  });
}

/** One that is too large by itself was the reason why those with it were refused: others need no smaller requests. */
function adjustLimits(refused: readonly UploadEntry[]): void {
  const [only] = refused;
  if (refused.length === 1 && only !== undefined) {
    limits = limitsBefore.get(only.id) ?? limits;
    return;
  }
  for (const { id } of refused) if (!limitsBefore.has(id)) limitsBefore.set(id, limits);
  limits = narrowLimits(limits, refused);
}

function isTooLarge(error: unknown): boolean {
  return error instanceof LociError && error.status === TOO_LARGE;
}

function messageOf(error: unknown): string {
  if (!(error instanceof LociError)) return String(error);
  const { detail, code, requestId } = error;
  const said = `${detail} (${code}, ${requestId ?? '–'})`;
  return isTooLarge(error) ? `${uploadsTexts.tooLarge} ${said}` : said;
}
