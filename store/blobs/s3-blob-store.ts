import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  S3Client,
  type S3ClientConfig,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { AppError } from '#domain/app-error.ts';
import type { BlobLocation, BlobStore, DownloadHeaders, LocalFile } from '#domain/blob-store.ts';
import { blobMissing, blobName } from './blob-name.ts';
import { getObject } from './get-object.ts';
import { isObjectMissing, s3BucketError, s3Error } from './s3-errors.ts';
import { putObject, type Bucket } from './put-object.ts';
import { createSpool, type Spool } from './spool.ts';

/** How long a bucket may take: to connect, without a byte in either direction, and until the answer to a request begins. */
type Timeouts = { connectMs: number; idleMs: number; answerMs: number };
const TIMEOUTS: Timeouts = { connectMs: 3_000, idleMs: 15_000, answerMs: 20_000 };
/** A probe of readiness waits for it. */
const PING_TIMEOUT_MS = 2_000;
/** The SDK's own retries, with its backoff. */
const MAX_ATTEMPTS = 3;
const MAX_CONNECTIONS = 64;
const DOWNLOAD_URL_LIFETIME_S = 300;
/** A bucket of a private server needs no region, but the signature has one. */
const ANY_REGION = 'us-east-1';

const nothing = () => undefined;
const SILENT = { trace: nothing, debug: nothing, info: nothing, warn: nothing, error: nothing };

export type S3Options = {
  bucket: string;
  /** Names before the keys, without a slash at the end; may be empty. */
  prefix: string;
  region: string | null;
  /** Null for Amazon S3. */
  endpoint: string | null;
  pathStyle: boolean;
  /** Null for those that the SDK finds: variables, profile, web identity, container or machine. */
  credentials: { accessKeyId: string; secretAccessKey: string } | null;
  encryption: 'AES256' | 'aws:kms' | null;
  kmsKeyId: string | null;
  presignedDownloads: boolean;
  /** Holds files while child processes read them. */
  workFolder: string;
  /** For tests; the default is the limit of S3. */
  singlePutBytes?: number;
  /** For tests. */
  timeouts?: Timeouts;
};

type ObjectName = { Bucket: string; Key: string };

/** Keeps blobs as objects of an S3 bucket, under the same names as in a folder. */
export function createS3BlobStore(options: S3Options): BlobStore {
  const timeouts = options.timeouts ?? TIMEOUTS;
  const client = new S3Client(clientConfig(options, idleSocketsFail(timeouts)));
  // With connections of their own: the other requests do not wait until slow clients have taken their downloads.
  const downloads = new S3Client(clientConfig(options, silentServersFail(timeouts)));
  const bucket: Bucket = { client, ...options };
  const spool = createSpool(options.workFolder);
  const at = (location: BlobLocation) => ({ Bucket: options.bucket, Key: keyOf(options, location) });
  const soon = () => AbortSignal.timeout(timeouts.answerMs);
  const open: BlobStore['open'] = (location, range) => getObject(downloads, { ...at(location), range }, timeouts);
  return {
    name: nameOf(options),
    put: (location, file, { mayExist }) => putObject(bucket, { ...at(location), file, mayExist }),
    open,
    checkOut: async (location) => checkOut(spool, location, await open(location)),
    exists: (location) => exists(client, at(location), soon()),
    async delete(location) {
      try {
        await client.send(new DeleteObjectCommand(at(location)), { abortSignal: soon() });
      } catch (error) {
        if (!isObjectMissing(error)) throw s3Error(error);
      }
    },
    downloadUrl: options.presignedDownloads ? (location, as) => sign(client, at(location), as) : null,
    async ping() {
      try {
        await client.send(new HeadBucketCommand({ Bucket: options.bucket }), {
          abortSignal: AbortSignal.timeout(PING_TIMEOUT_MS),
        });
      } catch (error) {
        throw s3BucketError(error);
      }
    },
    sweepTemporary: async () => 0,
    close() {
      client.destroy();
      downloads.destroy();
    },
  };
}

type SocketLimits = { connectionTimeout: number; socketTimeout: number; requestTimeout?: number };

/** The limit of the SDK counts a pause in either direction, whoever makes it. */
function idleSocketsFail({ connectMs, idleMs }: Timeouts): SocketLimits {
  return { connectionTimeout: connectMs, socketTimeout: idleMs };
}

/** Limits the time until an answer begins, not the pauses in it: a slow reader makes them, too. */
function silentServersFail({ connectMs, idleMs }: Timeouts) {
  return { connectionTimeout: connectMs, socketTimeout: 0, requestTimeout: idleMs, throwOnRequestTimeout: true };
}

function clientConfig(options: S3Options, limits: SocketLimits): S3ClientConfig {
  const { region, endpoint, pathStyle, credentials } = options;
  const place = region ?? (endpoint === null ? null : ANY_REGION);
  return {
    ...(place === null ? {} : { region: place }),
    ...(endpoint === null ? {} : { endpoint }),
    // A copy: the SDK adds to it.
    ...(credentials === null ? {} : { credentials: { ...credentials } }),
    forcePathStyle: pathStyle,
    maxAttempts: MAX_ATTEMPTS,
    // What fails is thrown; the console is not for libraries.
    logger: SILENT,
    // The hash of a blob is its checksum. Others are not known to every server that speaks S3.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      ...limits,
      httpAgent: { keepAlive: true, maxSockets: MAX_CONNECTIONS },
      httpsAgent: { keepAlive: true, maxSockets: MAX_CONNECTIONS },
    },
  };
}

/** Within a server, the name of a bucket is unique. */
function nameOf({ endpoint, bucket, prefix }: S3Options): string {
  const server = endpoint === null ? 'Amazon S3' : new URL(endpoint).host + new URL(endpoint).pathname;
  return `bucket ${bucket}/${prefix} of ${server}`;
}

function keyOf({ prefix }: S3Options, location: BlobLocation): string {
  const name = blobName(location);
  return prefix === '' ? name : `${prefix}/${name}`;
}

function sign(client: S3Client, at: ObjectName, { mediaType, disposition }: DownloadHeaders): Promise<string> {
  const as = { ResponseContentType: mediaType, ResponseContentDisposition: disposition };
  return getSignedUrl(client, new GetObjectCommand({ ...at, ...as }), { expiresIn: DOWNLOAD_URL_LIFETIME_S });
}

async function exists(client: S3Client, at: ObjectName, abortSignal: AbortSignal): Promise<boolean> {
  try {
    await client.send(new HeadObjectCommand(at), { abortSignal });
    return true;
  } catch (error) {
    if (isObjectMissing(error)) return false;
    throw s3Error(error);
  }
}

/** Downloads an object to a file, and checks its hash. */
async function checkOut(spool: Spool, { sha256 }: BlobLocation, bytes: AsyncIterable<Uint8Array>): Promise<LocalFile> {
  const file = await spool.write(bytes, Number.MAX_SAFE_INTEGER);
  const release = async () => file[Symbol.asyncDispose]();
  if (file.sha256 === sha256) return { path: await file.path(), release };
  await release();
  throw blobMissing(new AppError('internal', `the object has the SHA-256 ${file.sha256}`));
}
