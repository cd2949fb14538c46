import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { HeadObjectCommand, PutObjectCommand, type PutObjectCommandInput, type S3Client } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import type { SpooledBlob } from '#domain/blob-store.ts';
import { maxPutMs } from './max-put-ms.ts';
import { isObjectMissing, isObjectPresent, isUnconditional, isWorthAnotherAttempt, s3Error } from './s3-errors.ts';

/** Largest object that S3 takes in one request. */
const MAX_SINGLE_PUT_BYTES = 5 * 1024 ** 3;
/** Up to this size, bytes are sent from memory. */
const MAX_BUFFERED_BYTES = 1024 * 1024;
/** Waits before the second and the third attempt. A stream is sent once, so that the SDK cannot repeat it. */
const RETRY_DELAYS_MS = [200, 1_000];

export type Bucket = {
  client: S3Client;
  encryption: 'AES256' | 'aws:kms' | null;
  kmsKeyId: string | null;
  singlePutBytes?: number;
};

export type ObjectToPut = { Bucket: string; Key: string; file: SpooledBlob; mayExist: boolean };

/**
 * Writes an object once, with its checksum. When an answer was lost, the next attempt finds the object: its key is of this blob
 * only. An object of another size is replaced.
 * @throws AppError `dependency_unavailable`.
 */
export async function putObject(bucket: Bucket, object: ObjectToPut): Promise<void> {
  const signal = AbortSignal.timeout(maxPutMs(object.file.sizeBytes));
  try {
    const found = object.mayExist ? await findSize(bucket, { ...object, signal }) : null;
    if (found === object.file.sizeBytes) return;
    await putRepeatedly(bucket, { ...object, isNew: found === null, signal });
  } catch (error) {
    throw s3Error(error);
  }
}

/** Returns the size of the object in bytes; null when it does not exist. */
async function findSize({ client }: Bucket, { Bucket, Key, signal }: ObjectToPut & { signal: AbortSignal }) {
  try {
    const head = new HeadObjectCommand({ Bucket, Key });
    const { ContentLength: sizeBytes = -1 } = await client.send(head, { abortSignal: signal });
    return sizeBytes;
  } catch (error) {
    if (isObjectMissing(error)) return null;
    throw error;
  }
}

type Put = ObjectToPut & { isNew: boolean; signal: AbortSignal };

async function putRepeatedly(bucket: Bucket, put: Put): Promise<void> {
  let { isNew } = put;
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await putOnce(bucket, { ...put, isNew });
    } catch (error) {
      if (isNew && isObjectPresent(error)) return;
      const isRefused = isNew && isUnconditional(error);
      const waitMs = RETRY_DELAYS_MS[attempt];
      if (waitMs === undefined || put.signal.aborted || !(isRefused || isWorthAnotherAttempt(error))) throw error;
      if (isRefused) isNew = false;
      else await delay(waitMs, undefined, { signal: put.signal });
      // The answer may be what was lost.
      if ((await findSize(bucket, put)) === put.file.sizeBytes) return;
    }
  }
}

async function putOnce(bucket: Bucket, { signal, ...put }: Put): Promise<void> {
  const { sizeBytes } = put.file;
  const path = await put.file.path();
  const bytes = sizeBytes <= MAX_BUFFERED_BYTES ? await readFile(path) : createReadStream(path);
  try {
    await send(bucket, { ...put, bytes, signal });
  } finally {
    // The SDK leaves the file open when a request fails.
    if (bytes instanceof Readable) bytes.destroy();
  }
}

async function send(bucket: Bucket, { signal, bytes, ...put }: Put & { bytes: Readable | Uint8Array }): Promise<void> {
  const { client, encryption, kmsKeyId, singlePutBytes = MAX_SINGLE_PUT_BYTES } = bucket;
  const { sha256, sizeBytes } = put.file;
  const params: PutObjectCommandInput = {
    Bucket: put.Bucket,
    Key: put.Key,
    Body: bytes,
    ...(put.isNew ? { IfNoneMatch: '*' } : {}),
    ...(encryption === null ? {} : { ServerSideEncryption: encryption }),
    ...(kmsKeyId === null ? {} : { SSEKMSKeyId: kmsKeyId }),
  };
  if (sizeBytes > singlePutBytes) return putInParts(client, params, signal);
  const checksum = Buffer.from(sha256, 'hex').toString('base64');
  const command = new PutObjectCommand({ ...params, ContentLength: sizeBytes, ChecksumSHA256: checksum });
  await client.send(command, { abortSignal: signal });
}

/** Each part has a checksum of its own. A process that is killed leaves parts that only a rule of the bucket removes. */
async function putInParts(client: S3Client, params: PutObjectCommandInput, signal: AbortSignal): Promise<void> {
  const upload = new Upload({ client, params: { ...params, ChecksumAlgorithm: 'SHA256' } });
  const abort = () => void upload.abort();
  signal.addEventListener('abort', abort, { once: true });
  try {
    await upload.done();
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
