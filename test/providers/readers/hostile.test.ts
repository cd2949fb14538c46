import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { AppError } from '#domain/app-error.ts';
import { detectFileType } from '#providers/readers/detect-type.ts';
import { resolveReader } from '#providers/readers/index.ts';
import { createReaderPool, type ReadTask } from '#providers/readers/reader-pool.ts';
import { residentMemoryBytes } from '#providers/sandbox/task-meter.ts';
import { hostileCorpus } from '#test/support/fixtures/hostile/corpus.ts';

const MIB = 1024 * 1024;
/** Errors with which reading a file may end; a crash is not one of them. */
const ENDS = new Set([
  'empty_file',
  'unsupported_type',
  'type_mismatch',
  'unreadable',
  'encrypted',
  'no_text',
  'read_output_limit',
  'read_memory_limit',
  'read_timeout',
]);

test.serial(
  'reads every hostile file to a text or a precise error, within the memory limit and without network requests',
  async (t) => {
    t.timeout(1_800_000);
    let requests = 0;
    const server = createServer((_, response) => response.end(String((requests += 1)))).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    // An HTTP server on TCP has a port.
    const files = hostileCorpus(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    t.true(files.length >= 60, `${files.length} files`);
    const folder = await mkdtemp(join(tmpdir(), 'loci-hostile-'));
    const pool = createReaderPool({ processes: 2, memoryBytes: 768 * MIB, timeoutMs: 60_000, maxTextBytes: 8 * MIB });
    try {
      const tasks = new Map<string, ReadTask>();
      for (const { name, bytes } of files) {
        const path = join(folder, name);
        await writeFile(path, bytes);
        const task = await taskOf(path, name);
        if (task instanceof AppError) t.true(ENDS.has(task.code) && task.message.length > 10, `${name}: ${task.code}`);
        else tasks.set(name, task);
      }
      files.length = 0;
      const before = residentMemoryBytes(process.pid) ?? 0;
      await using batch = await pool.read([...tasks.values()]);
      for (const [index, name] of [...tasks.keys()].entries()) {
        const outcome = batch.outcomes[index];
        if (!outcome) t.fail(`${name} has no outcome`);
        else if (outcome.ok) t.true(outcome.result.sizeBytes > 0, `${name}: no text`);
        else
          t.true(
            ENDS.has(outcome.error.code),
            `${name}: ${outcome.error.code} ${outcome.error.message} ${String(outcome.error.cause)}`,
          );
      }
      const grown = (residentMemoryBytes(process.pid) ?? 0) - before;
      t.true(grown < 300 * MIB, `the parent grew by ${Math.round(grown / MIB)} MiB`);
      t.is(requests, 0);
    } finally {
      await pool.close();
      server.close();
      await rm(folder, { recursive: true, force: true });
    }
  },
);

/** Like the API and the worker: detects the type by content, then checks whether a reader reads it. */
async function taskOf(path: string, name: string): Promise<ReadTask | AppError> {
  try {
    const { mediaType } = await detectFileType(path, { name });
    resolveReader('native', mediaType);
    return { path, name, mediaType, reader: 'native' };
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}
