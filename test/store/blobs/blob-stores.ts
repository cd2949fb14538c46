import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext, TestFn } from 'ava';
import test from 'ava';
import type { BlobLocation, BlobStore, SpooledBlob } from '#domain/blob-store.ts';
import { createLocalBlobStore } from '#store/blobs/local-blob-store.ts';
import { createSpool } from '#store/blobs/spool.ts';
import { hasS3Server, startS3Server, type S3Server } from '#test/support/buckets/s3-server.ts';

export const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex');

export async function* inPieces(...pieces: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces;
}

/** Both stores, with the `test` to use: that of S3 is skipped on a machine without the server. */
export const STORES: readonly { kind: 'folder' | 's3'; storeTest: Pick<TestFn, never> & typeof test.serial }[] = [
  { kind: 'folder', storeTest: test.serial },
  // `skip` has the same parameters.
  { kind: 's3', storeTest: hasS3Server ? test.serial : (test.serial.skip as unknown as typeof test.serial) },
];

let s3: Promise<S3Server> | null = null;

/** The S3 server of this test file, which starts with the first use. */
export function s3Server(): Promise<S3Server> {
  s3 ??= startS3Server();
  return s3;
}

/** Ends the S3 server after the tests of a file, which calls this beside them. */
export function endS3ServerAfterTests(): void {
  test.after.always(async () => {
    await (await s3)?.close();
  });
}

export type StoreUnderTest = {
  store: BlobStore;
  /** The folder of the files or of the objects. */
  dir: string;
  spool: (bytes: Uint8Array | string) => Promise<SpooledBlob>;
  /** Stores bytes at a place of their own. */
  put: (bytes: Uint8Array | string, at?: Partial<BlobLocation> & { mayExist?: boolean }) => Promise<BlobLocation>;
};

/** A store in a folder, or under a prefix of the bucket, of its own. */
export async function openStore(t: ExecutionContext, kind: 'folder' | 's3'): Promise<StoreUnderTest> {
  const work = await mkdtemp(join(tmpdir(), 'loci-blobs-'));
  t.teardown(() => rm(work, { recursive: true, force: true }));
  const { store, dir } = kind === 'folder' ? openFolder(work) : await openBucket(t);
  const files = createSpool(join(work, 'spool'));
  const spool = (bytes: Uint8Array | string) => files.write(inPieces(Buffer.from(bytes)), Number.MAX_SAFE_INTEGER);
  const put: StoreUnderTest['put'] = async (bytes, { mayExist = false, ...at } = {}) => {
    await using file = await spool(bytes);
    const location = { workspaceId: randomUUID(), sha256: file.sha256, place: randomUUID(), ...at };
    await store.put(location, file, { mayExist });
    return location;
  };
  return { store, dir, spool, put };
}

function openFolder(work: string) {
  const dir = join(work, 'blobs');
  return { dir, store: createLocalBlobStore({ dir }) };
}

async function openBucket(t: ExecutionContext) {
  const server = await s3Server();
  const { createS3BlobStore } = await import('#store/blobs/s3-blob-store.ts');
  const prefix = `of/${randomUUID()}`;
  const store = createS3BlobStore(server.options({ prefix }));
  t.teardown(() => store.close());
  return { dir: join(server.folder, prefix), store };
}
