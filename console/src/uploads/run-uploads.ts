import { LociError, newIdempotencyKey, withRetries } from '@loci/client/browser';
import { uploadsTexts } from '../texts/uploads-texts.ts';
import { matchEntries } from './match-entries.ts';
import { BATCH_LIMITS, narrowLimits, planBatch, type BatchLimits } from './plan-batch.ts';
import { sendUpload, type UploadHeaders } from './send-upload.ts';
import type { UploadEntry } from './upload-entry.ts';
import { uploadStore } from './upload-store.ts';

/** One request is sent while the service stores the files of the other. */
const CONCURRENCY = 2;
/** Half a minute: a service that restarts is back by then. */
const RETRIES = 6;
const TOO_LARGE = 413;
let running = 0;
/** Those of the service, or of a proxy in front of it, are not known before a request is refused. */
let limits = BATCH_LIMITS;
/** The limits before the first refusal of a request with an entry, by its id. */
const limitsBefore = new Map<number, BatchLimits>();
let sender: UploadHeaders | null = null;

/** Says who sends what waits from now on: a token may be renewed, or somebody else sign in, while a request is on its way. */
export function sendUploadsAs(headers: UploadHeaders | null): void {
  sender = headers;
}

/** Sends what waits, a few requests at a time, until nothing waits any more. `onAccepted` is called after each of them. */
export function runUploads(onAccepted: (collectionId: string) => void): void {
  if (sender === null) return;
  while (running < CONCURRENCY) {
    const batch = planBatch(uploadStore.read(), limits);
    const [first] = batch;
    if (first === undefined) return;
    running += 1;
    void sendBatch(sender, batch).finally(() => {
      running -= 1;
      onAccepted(first.collectionId);
      runUploads(onAccepted);
    });
  }
}

async function sendBatch(headers: UploadHeaders, batch: readonly UploadEntry[]): Promise<void> {
  const ids = new Set(batch.map(({ id }) => id));
  uploadStore.update(ids, () => ({ state: 'sending', sent: 0, message: null }));
  try {
    const outcomes = matchEntries(batch, await sendWithRetries(headers, batch, ids));
    const byId = new Map(batch.map(({ id }, at) => [id, outcomes[at]]));
    for (const id of ids) limitsBefore.delete(id);
    uploadStore.update(ids, ({ id }) => byId.get(id) ?? {});
  } catch (error) {
    const gone = await unreadableOf(batch);
    const isSplit = isTooLarge(error) && batch.length > 1;
    if (isTooLarge(error)) adjustLimits(batch);
    uploadStore.update(ids, ({ id }) => {
      if (gone.has(id)) return { state: 'failed', message: uploadsTexts.gone };
      return isSplit || gone.size > 0 ? { state: 'waiting', sent: 0 } : { state: 'failed', message: messageOf(error) };
    });
  }
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

/** While the service restarts or is busy, a folder of thousands of files would otherwise be refused within seconds. */
async function sendWithRetries(headers: UploadHeaders, batch: readonly UploadEntry[], ids: ReadonlySet<number>) {
  const idempotencyKey = newIdempotencyKey();
  const onSent = (sent: number) => uploadStore.update(ids, () => ({ sent }));
  const attempt = async () => {
    // Who added them has signed out since.
    if (!uploadStore.read().some(({ id }) => ids.has(id))) throw new Error(uploadsTexts.aborted);
    try {
      return await sendUpload({ headers, idempotencyKey, batch, onSent });
    } catch (error) {
      if ((await unreadableOf(batch)).size > 0) throw new Error(uploadsTexts.gone, { cause: error });
      throw error;
    }
  };
  return withRetries(attempt, { retries: RETRIES, isRepeatable: true });
}

/** The browser sends nothing when one of the files is gone. Returns which these are. */
async function unreadableOf(batch: readonly UploadEntry[]): Promise<Set<number>> {
  const checked = await Promise.all(
    batch.map(async ({ id, source }) => (source.kind === 'url' || (await isReadable(source.file)) ? [] : [id])),
  );
  return new Set(checked.flat());
}

/** A file that is gone has no bytes, of which the browser does not try to read a part. */
async function isReadable(file: File): Promise<boolean> {
  const part = file.size === 0 ? file : file.slice(0, 1);
  return part.arrayBuffer().then(
    () => true,
    () => false,
  );
}
