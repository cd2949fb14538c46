import { LociError, newIdempotencyKey, withRetries } from '@loci/client/browser';
import type { Schemas } from '../api/schemas.ts';
import { fetchConsole } from '../app/fetch-console.ts';
import { uploadsTexts } from '../texts/uploads-texts.ts';
import { sendUpload, type UploadHeaders } from './send-upload.ts';
import { unreadableFiles } from './unreadable-files.ts';
import type { UploadEntry } from './upload-entry.ts';
import { uploadStore } from './upload-store.ts';

/** Half a minute: a service that restarts is back by then. */
const RETRIES = 6;
/** Until it is looked whether the service is back, or whether there are other credentials. */
const PAUSE_MS = 2_000;
const UNAUTHORIZED = 401;
/** Statuses of a service, or of its proxy, that is away; none if it could not be reached. */
const AWAY: ReadonlySet<number | null> = new Set([null, 502, 503, 504]);

export type Sending = {
  /** The credentials as they are at each attempt: a token may have been renewed meanwhile. */
  headers: () => UploadHeaders | null;
  /** Called when the credentials are refused: whoever is signed in has to renew them, or is signed out. */
  onRefused: () => void;
  /** Aborted when nothing of the batch is to be sent any more. */
  signal: AbortSignal;
};

/**
 * Sends a batch until the service has answered: nothing is lost because a token has expired or the service is away, however long.
 * @throws LociError when the service refuses the batch, or can be reached and does not accept it; the reason of the signal
 */
export async function sendUntilAnswered(
  batch: readonly UploadEntry[],
  sending: Sending,
): Promise<Schemas['UploadResponse']> {
  const { onRefused, signal } = sending;
  const attempt = attemptOf(batch, sending);
  let hasFailed = false;
  for (;;) {
    try {
      return await withRetries(attempt, { retries: RETRIES, isRepeatable: true, signal });
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof LociError)) throw error;
      if (error.status === UNAUTHORIZED) {
        onRefused();
        await pause(signal);
      } else if (!AWAY.has(error.status)) throw error;
      else if (await waitWhileAway(batch, signal)) hasFailed = false;
      // Where the service can be reached, it is this batch that cannot be sent.
      else if (hasFailed) throw error;
      else hasFailed = true;
    }
  }
}

function attemptOf(batch: readonly UploadEntry[], { headers, signal }: Sending) {
  const idempotencyKey = newIdempotencyKey();
  const ids = idsOf(batch);
  const onSent = (sent: number) => uploadStore.update(ids, () => ({ sent }));
  return async () => {
    signal.throwIfAborted();
    const credentials = headers();
    if (credentials === null) throw new Error(uploadsTexts.aborted);
    uploadStore.update(ids, () => ({ sent: 0, message: null }));
    try {
      return await sendUpload({ headers: credentials, idempotencyKey, batch, onSent, signal });
    } catch (error) {
      if ((await unreadableFiles(batch)).size > 0) throw new Error(uploadsTexts.gone, { cause: error });
      throw error;
    }
  };
}

/** Waits as long as the service cannot be reached. Returns whether that was so. */
async function waitWhileAway(batch: readonly UploadEntry[], signal: AbortSignal): Promise<boolean> {
  for (let wasAway = false; ; wasAway = true) {
    if ((await fetchConsole()) !== null) return wasAway;
    signal.throwIfAborted();
    uploadStore.update(idsOf(batch), () => ({ sent: 0, message: uploadsTexts.away }));
    await pause(signal);
  }
}

/** @throws the reason of the signal as soon as it is aborted */
async function pause(signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, PAUSE_MS);
    const end = () => {
      clearTimeout(timer);
      resolve();
    };
    signal.addEventListener('abort', end, { once: true });
  });
  signal.throwIfAborted();
}

function idsOf(batch: readonly UploadEntry[]): Set<number> {
  return new Set(batch.map(({ id }) => id));
}
