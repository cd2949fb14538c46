import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import test from 'ava';
import { decodeBody } from '#security/egress/decode-body.ts';
import { failsWith } from '#test/support/servers/trap-egress.ts';

const text = 'Everything that is known about harbours. '.repeat(2_000);
const packed = gzipSync(text);
const MAX_BYTES = 1_000_000;

/** Sends the bytes in chunks of a size. */
async function* inChunks(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

async function decode(bytes: Uint8Array, coding: string, { chunk = 64_000, maxInflatedBytes = MAX_BYTES } = {}) {
  const decoded = decodeBody(inChunks(bytes, chunk), coding, { maxInflatedBytes, shown: 'https://example.org/' });
  return (await buffer(decoded)).toString();
}

/** A gzip header with every optional field: extra bytes, name, comment and checksum. */
function withFullHeader(gzip: Buffer): Buffer {
  const header = Buffer.from(gzip.subarray(0, 10));
  header[3] = 2 | 4 | 8 | 16;
  return Buffer.concat([header, Buffer.from('\x03\0abcname\0comment\0\x12\x34', 'latin1'), gzip.subarray(10)]);
}

test('a Content-Encoding that names no compression leaves the body as it is', async (t) => {
  for (const coding of ['utf-8', 'UTF8', 'none', 'binary', '8bit', 'aws-chunked', 'identity, aws-chunked', 'chunked']) {
    t.is(await decode(Buffer.from(text), coding), text, coding);
  }
  for (const coding of ['gzip,aws-chunked', 'UTF-8, gzip', 'aws-chunked, none, x-gzip, identity']) {
    t.is(await decode(packed, coding), text, coding);
  }
});

test('gzip may be followed by other bytes, lack its trailer, and have several members, wherever its chunks end', async (t) => {
  const bodies: Record<string, [Buffer, string]> = {
    whole: [packed, text],
    'a line break after it': [Buffer.concat([packed, Buffer.from('\r\n')]), text],
    'a page after it': [
      Buffer.concat([packed, Buffer.from('<!-- served in 3 ms by the cache of this site -->')]),
      text,
    ],
    'zeros after it': [Buffer.concat([packed, Buffer.alloc(512)]), text],
    'no trailer': [packed.subarray(0, -8), text],
    'half a trailer': [packed.subarray(0, -3), text],
    'two members': [Buffer.concat([packed, packed]), text + text],
    'two members and a line break': [Buffer.concat([packed, gzipSync('end'), Buffer.from('\n')]), `${text}end`],
    'all fields of the header': [withFullHeader(packed), text],
  };
  for (const [name, [bytes, expected]] of Object.entries(bodies)) {
    for (const chunk of [1, 100, 64_000])
      t.is(await decode(bytes, 'gzip', { chunk }), expected, `${name}, by ${chunk}`);
  }
});

test('gzip that is truncated, damaged or split into countless members is rejected', async (t) => {
  const damaged = Buffer.from(packed);
  damaged[damaged.length - 8] = (damaged.at(-8) ?? 0) ^ 1;
  const bodies = {
    truncated: packed.subarray(0, packed.length / 2),
    'a wrong checksum': damaged,
    'only a header': packed.subarray(0, 10),
    'half a header': packed.subarray(0, 5),
    'twenty thousand members': Buffer.concat(Array<Buffer>(20_000).fill(gzipSync(''))),
  };
  for (const [name, bytes] of Object.entries(bodies)) {
    for (const chunk of [50, 64_000]) {
      const message = await failsWith(t, 'download_rejected', decode(bytes, 'gzip', { chunk }));
      t.regex(message, /not in the Content-Encoding/, name);
    }
  }
});

test('the limit of decompressed bytes counts all members of gzip', async (t) => {
  const twice = Buffer.concat([packed, packed]);
  await failsWith(t, 'download_too_large', decode(twice, 'gzip', { maxInflatedBytes: text.length * 1.5 }));
});
