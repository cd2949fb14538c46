import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import type { ExecutionContext } from 'ava';
import * as fc from 'fast-check';
import { AppError } from '#domain/app-error.ts';
import { createSpool } from '#store/blobs/spool.ts';

const MIB = 1024 * 1024;
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

async function* inPieces(...pieces: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces;
}

async function openSpool(t: ExecutionContext, options?: { memoryBytes: number }) {
  const dir = await mkdtemp(join(tmpdir(), 'loci-spool-'));
  t.teardown(() => rm(dir, { recursive: true, force: true }));
  const folder = join(dir, 'work', 'spool');
  return { folder, spool: createSpool(folder, options), files: () => readdir(folder).catch(() => []) };
}

test('keeps any bytes, written in any chunks, in a private file, with their hash', async (t) => {
  const { spool, files } = await openSpool(t);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 8 }), async (pieces) => {
      const whole = Buffer.concat(pieces);
      await using blob = await spool.write(inPieces(...pieces), 10_000);
      t.like(blob, { sha256: sha256(whole), sizeBytes: whole.length });
      t.deepEqual(await readFile(await blob.path()), whole);
      t.is((await stat(await blob.path())).mode & 0o077, 0);
    }),
    { numRuns: 30 },
  );
  t.deepEqual(await files(), [], 'disposing removes the file');
});

test('keeps few bytes in memory, and writes them to a private file only for somebody who needs one', async (t) => {
  const { spool, files } = await openSpool(t, { memoryBytes: 100 });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 5 }), async (pieces) => {
      const whole = Buffer.concat(pieces);
      const blob = await spool.write(inPieces(...pieces), 1_000);
      t.like(blob, { sha256: sha256(whole), sizeBytes: whole.length });
      t.is((await files()).length, whole.length > 100 ? 1 : 0);
      t.deepEqual(blob.bytes, whole.length > 100 ? null : whole);
      t.deepEqual(await readFile(await blob.path()), whole);
      t.is(await blob.path(), await blob.path());
      t.is((await stat(await blob.path())).mode & 0o077, 0);
      await blob[Symbol.asyncDispose]();
      t.deepEqual(await files(), []);
    }),
    { numRuns: 50 },
  );
});

test('accepts exactly the limit; one byte more leaves nothing behind and stops the source', async (t) => {
  const { spool, files } = await openSpool(t);
  await spool.write(inPieces(Buffer.alloc(60), Buffer.alloc(40)), 100);
  const before = await files();
  let stopped = false;
  async function* tooMuch() {
    try {
      for (;;) yield Buffer.alloc(50);
    } finally {
      stopped = true;
    }
  }
  const error = await t.throwsAsync(spool.write(tooMuch(), 99), { instanceOf: AppError });
  t.is(error.code, 'file_too_large');
  t.true(stopped);
  t.deepEqual(await files(), before);
});

test('leaves nothing behind when the source fails, and rethrows its error', async (t) => {
  const { spool, files } = await openSpool(t);
  const cause = new Error('the client went away');
  async function* broken() {
    yield Buffer.alloc(10);
    throw cause;
  }
  t.is(await t.throwsAsync(spool.write(broken(), 100)), cause);
  t.deepEqual(await files(), []);
});

test('sweeps old files, but not those that a process still uses, however long that takes', async (t) => {
  const { spool, folder, files } = await openSpool(t);
  t.is(await spool.sweep(0), 0);
  const kept = await spool.write(inPieces(Buffer.from('kept')), 4);
  const hourMs = 3_600_000;
  await writeFile(join(folder, 'old'), 'half');
  const changed = new Date(Date.now() - 2 * hourMs);
  for (const path of [join(folder, 'old'), await kept.path()]) await utimes(path, changed, changed);
  t.is(await spool.sweep(hourMs), 1);
  t.is(await createSpool(folder).sweep(hourMs), 0, 'nor does another process');
  t.deepEqual(
    (await files()).map((name) => join(folder, name)),
    [await kept.path()],
  );
  await kept[Symbol.asyncDispose]();
  t.deepEqual(await files(), []);
});

test('streams 300 MB with one chunk in flight at a time', async (t) => {
  const { spool } = await openSpool(t);
  const pieces = 300;
  let made = 0;
  let peakExtraBytes = 0;
  const startBytes = process.memoryUsage().rss;
  async function* source() {
    for (; made < pieces; made += 1) {
      peakExtraBytes = Math.max(peakExtraBytes, process.memoryUsage().rss - startBytes);
      // A new buffer each time, so that accumulated chunks would show in memory.
      yield Buffer.alloc(MIB, made % 251);
    }
  }
  await using blob = await spool.write(source(), pieces * MIB);
  t.is(blob.sizeBytes, pieces * MIB);
  t.is((await stat(await blob.path())).size, pieces * MIB);
  t.true(peakExtraBytes < 150 * MIB, `grew by ${Math.round(peakExtraBytes / MIB)} MiB`);
});

test('does not read a second chunk before the first is written', async (t) => {
  const { spool } = await openSpool(t);
  let asked = 0;
  let open = 0;
  const source: AsyncIterable<Uint8Array> = {
    [Symbol.asyncIterator]: () => ({
      async next() {
        open += 1;
        t.is(open, 1);
        asked += 1;
        await Promise.resolve();
        open -= 1;
        return asked > 50 ? { done: true, value: undefined } : { done: false, value: Buffer.alloc(100_000) };
      },
    }),
  };
  t.is((await spool.write(source, 50 * 100_000)).sizeBytes, 5_000_000);
});
