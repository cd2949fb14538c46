import { Writable } from 'node:stream';
import { AppError } from '#domain/app-error.ts';
import type { SpooledBlob } from '#domain/blob-store.ts';
import { MAX_HEAD_BYTES } from '#operations/blobs/read-head.ts';
import { ClientClosedRequest } from '#api/http/response/http-error.ts';

/** What happened to the bytes of a form part. */
export type PartOutcome =
  | { kind: 'stored'; blob: SpooledBlob; head: Uint8Array | null }
  | { kind: 'empty' }
  | { kind: 'refused'; error: AppError }
  /** `error`: what the store threw, or null when the client left. */
  | { kind: 'aborted'; error: unknown };

/** Stores a stream of bytes. @throws AppError `file_too_large`. */
export type StoreBytes = (bytes: AsyncIterable<Uint8Array>) => Promise<SpooledBlob>;

export type PartSink = { stream: Writable; outcome: Promise<PartOutcome> };

/** Bytes of the beginnings of parts that are kept for a request. */
const MAX_KEPT_BYTES = 4 * 1024 * 1024;

/** Keeps the beginnings of small parts, which tell their types. Those beyond a few megabytes are read again from the store. */
export class KeptHeads {
  #sizeBytes = 0;

  /** Returns the head, or null when it is not kept. */
  keep(head: Uint8Array): Uint8Array | null {
    if (this.#sizeBytes + head.length > MAX_KEPT_BYTES) return null;
    this.#sizeBytes += head.length;
    return head;
  }
}

type OfferedPiece = { bytes: Uint8Array; taken: () => void };

/**
 * Returns a stream that passes what is written to `store`, one piece at a time. A write completes when the store has consumed
 * the piece, so the sender is slowed to the pace of the disk and no part is held in memory as a whole. A part that the store
 * rejects is read to its end and reported in the outcome; any other failure of the store destroys the stream. Empty parts are
 * not stored.
 */
export function createPartSink(store: StoreBytes, heads: KeptHeads): PartSink {
  const part: PartInProgress = {
    pipe: new PieceChannel(),
    outcome: Promise.withResolvers<PartOutcome>(),
    head: createHead(),
    heads,
  };
  let storing: Promise<void> | null = null;
  const accept = (stream: Writable, bytes: Uint8Array, done: () => void) => {
    part.head.add(bytes);
    storing ??= storePart(part, store, stream);
    part.pipe.offer({ bytes, taken: done });
  };
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      accept(this, chunk, done);
    },
    // The multipart parser splits data at every byte that might begin a boundary; writing such pieces one by one is slow.
    writev(chunks: { chunk: Buffer }[], done) {
      accept(this, Buffer.concat(chunks.map(({ chunk }) => chunk)), done);
    },
    final(done) {
      part.pipe.end();
      if (storing === null) part.outcome.resolve({ kind: 'empty' });
      void finishAfter(storing, done);
    },
    destroy(error, done) {
      part.pipe.fail(error);
      if (storing === null) part.outcome.resolve({ kind: 'aborted', error: null });
      done(error);
    },
  });
  return { stream, outcome: part.outcome.promise };
}

type PartInProgress = {
  pipe: PieceChannel;
  outcome: PromiseWithResolvers<PartOutcome>;
  head: ReturnType<typeof createHead>;
  heads: KeptHeads;
};

/** Stores the part and resolves its outcome. Never rejects. */
async function storePart(
  { pipe, outcome, head, heads }: PartInProgress,
  store: StoreBytes,
  stream: Writable,
): Promise<void> {
  try {
    const blob = await store(pipe.read());
    // A blob in memory is its own beginning.
    outcome.resolve({ kind: 'stored', blob, head: blob.bytes === null ? heads.keep(head.take()) : null });
  } catch (error) {
    if (error instanceof AppError && error.code === 'file_too_large') {
      outcome.resolve({ kind: 'refused', error });
    } else {
      outcome.resolve({ kind: 'aborted', error });
      if (!(error instanceof ClientClosedRequest))
        stream.destroy(error instanceof Error ? error : new Error('store failed'));
    }
  } finally {
    pipe.discard();
    // The stream lives as long as its request, and would keep the beginning with it.
    head.take();
  }
}

/** Returns a sink that discards everything, for parts that are rejected. */
export function createDiscardingSink(refusal: AppError): PartSink {
  const outcome = Promise.resolve<PartOutcome>({ kind: 'refused', error: refusal });
  return { outcome, stream: new Writable({ write: (_chunk, _encoding, done) => done() }) };
}

async function finishAfter(work: Promise<void> | null, done: () => void): Promise<void> {
  await work;
  done();
}

/** Passes pieces from a writer to an async reader, one at a time. */
class PieceChannel {
  #offered: OfferedPiece | null = null;
  #wake: () => void = () => {};
  #state: { kind: 'open' | 'ended' | 'discarding' } | { kind: 'failed'; error: Error } = { kind: 'open' };

  offer(handoff: OfferedPiece): void {
    if (this.#state.kind !== 'open') {
      handoff.taken();
      return;
    }
    this.#offered = handoff;
    this.#wake();
  }

  end(): void {
    if (this.#state.kind === 'open') this.#state = { kind: 'ended' };
    this.#wake();
  }

  /** `error`: null when the client left. Nothing fails after the end. */
  fail(error: Error | null): void {
    if (this.#state.kind === 'open') this.#state = { kind: 'failed', error: error ?? new ClientClosedRequest() };
    this.#wake();
  }

  /** Discards everything that is offered from now on. */
  discard(): void {
    this.#state = { kind: 'discarding' };
    this.#offered?.taken();
    this.#offered = null;
  }

  async *read(): AsyncGenerator<Uint8Array> {
    for (;;) {
      if (this.#state.kind === 'failed') throw this.#state.error;
      const offered = this.#offered;
      if (offered !== null) {
        this.#offered = null;
        try {
          yield offered.bytes;
        } finally {
          offered.taken();
        }
      } else if (this.#state.kind === 'open') {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      } else return;
    }
  }
}

function createHead() {
  const pieces: Uint8Array[] = [];
  let sizeBytes = 0;
  return {
    add(bytes: Uint8Array): void {
      if (sizeBytes >= MAX_HEAD_BYTES) return;
      // A copy, because a view would keep the whole underlying buffer in memory. `Uint8Array.from` copies byte by byte.
      const piece = new Uint8Array(bytes.subarray(0, MAX_HEAD_BYTES - sizeBytes));
      pieces.push(piece);
      sizeBytes += piece.length;
    },
    /** Returns the beginning and forgets it. */
    take: (): Uint8Array => Buffer.concat(pieces.splice(0)),
  };
}
