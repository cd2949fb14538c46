import { crc32, createInflateRaw, type InflateRaw } from 'node:zlib';

type Bytes = AsyncIterable<Uint8Array>;

const FIXED_HEADER_BYTES = 10;
const TRAILER_BYTES = 8;
/** Members, each of which costs a decoder: those of `bgzip` have 64 KiB, hostile ones are empty. */
const MAX_MEMBERS = 10_000;
/** Flags of optional fields in the header (RFC 1952, 2.3.1). */
const HAS_CHECKSUM = 2;
const HAS_EXTRA = 4;
const HAS_NAME = 8;
const HAS_COMMENT = 16;

/**
 * Decompresses gzip with the tolerance of browsers: what follows the last member is ignored, such as the line break that scripts add, and
 * so is a missing trailer. Node's decoder fails for both.
 * @throws Error for data that is not gzip, is truncated, does not match its checksum or has too many members.
 */
export async function* gunzip(source: Bytes): AsyncGenerator<Uint8Array> {
  const input = new ByteQueue(source);
  if (!(await skipHeader(input))) throw new Error('not a gzip header');
  let members = 0;
  do {
    members += 1;
    if (members > MAX_MEMBERS) throw new Error('too many members');
    let checksum = 0;
    for await (const chunk of inflateMember(input)) {
      checksum = crc32(chunk, checksum);
      yield chunk;
    }
    const trailer = await input.take(TRAILER_BYTES);
    if (trailer.length === TRAILER_BYTES && trailer.readUInt32LE() !== checksum) throw new Error('wrong checksum');
  } while (await skipHeader(input));
}

/** Takes the header of a member; false when what follows is none. */
async function skipHeader(input: ByteQueue): Promise<boolean> {
  const header = await input.take(FIXED_HEADER_BYTES);
  if (header.length < FIXED_HEADER_BYTES || header.readUIntBE(0, 3) !== 0x1f8b08) return false;
  const flags = header[3] ?? 0;
  if (flags & HAS_EXTRA) {
    const size = await input.take(2);
    await input.take(size.length < 2 ? 0 : size.readUInt16LE());
  }
  for (const flag of [HAS_NAME, HAS_COMMENT]) if (flags & flag) await input.skipPastZero();
  if (flags & HAS_CHECKSUM) await input.take(2);
  return true;
}

/** Decompresses one member; what follows it stays in the queue. */
async function* inflateMember(input: ByteQueue): AsyncGenerator<Uint8Array> {
  const inflater = createInflateRaw();
  feed(inflater, input).catch((error: unknown) => inflater.destroy(error as Error));
  try {
    yield* inflater as AsyncIterable<Uint8Array>;
  } finally {
    inflater.destroy();
  }
}

/** Writes chunks one by one until the inflater takes no more of them. */
async function feed(inflater: InflateRaw, input: ByteQueue): Promise<void> {
  for (let fedBytes = 0; ;) {
    const chunk = await input.next();
    if (chunk === null) return void inflater.end();
    await new Promise<void>((resolve, reject) => {
      inflater.write(chunk, (error) => (error ? reject(error) : resolve()));
    });
    fedBytes += chunk.byteLength;
    const unusedBytes = fedBytes - inflater.bytesWritten;
    if (unusedBytes > 0) return input.putBack(chunk.subarray(chunk.byteLength - unusedBytes));
  }
}

/** Chunks of a stream, of which parts can be taken. */
class ByteQueue {
  readonly #source: AsyncIterator<Uint8Array>;
  #rest: Uint8Array | null = null;

  constructor(source: Bytes) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** Returns the next bytes, however many; null at the end. */
  async next(): Promise<Uint8Array | null> {
    const rest = this.#rest;
    this.#rest = null;
    if (rest !== null) return rest;
    const step = await this.#source.next();
    return step.done === true ? null : step.value;
  }

  putBack(bytes: Uint8Array): void {
    this.#rest = bytes;
  }

  /** Takes this many bytes, or fewer at the end. */
  async take(count: number): Promise<Buffer> {
    const parts: Uint8Array[] = [];
    let missing = count;
    while (missing > 0) {
      const chunk = await this.next();
      if (chunk === null) break;
      parts.push(chunk.subarray(0, missing));
      if (chunk.byteLength > missing) this.putBack(chunk.subarray(missing));
      missing -= Math.min(chunk.byteLength, missing);
    }
    return Buffer.concat(parts);
  }

  async skipPastZero(): Promise<void> {
    for (let chunk = await this.next(); chunk !== null; chunk = await this.next()) {
      const end = chunk.indexOf(0);
      if (end >= 0) return this.putBack(chunk.subarray(end + 1));
    }
  }
}
