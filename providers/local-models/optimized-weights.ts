import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** Weights as a session loads them. */
export type ModelWeights = { path: string; isOptimized: boolean };

/**
 * Optimizations of the ONNX runtime (1.30). Without fusing LayerNormalization with the addition before it, MiniLM takes an eighth
 * less CPU time; the optimizations above `extended` depend on the machine and concern convolutions only.
 */
export const OPTIMIZATION = {
  graphOptimizationLevel: 'extended',
  extra: { optimization: { disable_specified_optimizers: 'SkipLayerNormFusion' } },
} as const;

/** Increases when a change here or in `write-optimized-weights.ts` produces other files. */
const REVISION = 1;
const WEIGHTS = 'model.onnx';
const WRITING_TIMEOUT_MS = 300_000;
const LEFTOVER_AGE_MS = 3_600_000;

/**
 * Returns a copy of weights that the ONNX runtime has optimized and laid out for its kernels, from the cache; the first call
 * writes it. All threads and processes of a machine map this copy into memory once, where each session would otherwise
 * hold 100 to 150 MiB of its own. The runtime compares the layout with that of the present machine and does not use another
 * one's. Returns the original if the copy cannot be written.
 */
export async function optimizedWeights(
  original: { path: string; hash: string },
  cacheDir: string,
): Promise<ModelWeights> {
  const runtime = String(createRequire(import.meta.url)('onnxruntime-node/package.json').version);
  const folder = join(cacheDir, 'optimized-models');
  const prefix = `${original.hash.slice(0, 32)}-${process.arch}`;
  const copy = join(folder, `${prefix}-${runtime}-${REVISION}`);
  if (!existsSync(join(copy, WEIGHTS))) {
    try {
      await writeCopy(original.path, copy);
    } catch {
      return { path: original.path, isOptimized: false };
    }
    await removeOldCopies(folder, { prefix, copy }).catch(() => undefined);
  }
  return { path: join(copy, WEIGHTS), isOptimized: true };
}

/** Removes copies for other versions of the runtime, and what killed processes left. Files in use stay mapped. */
async function removeOldCopies(folder: string, { prefix, copy }: { prefix: string; copy: string }): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    if (!name.startsWith(prefix) || path === copy) continue;
    // Another process may still be writing a younger one.
    const { mtimeMs } = await stat(path);
    if (Date.now() - mtimeMs > LEFTOVER_AGE_MS) await rm(path, { recursive: true, force: true });
  }
}

/** Writes the copy in a process of its own: the memory that this takes would stay with this one. */
async function writeCopy(original: string, copy: string): Promise<void> {
  const writing = `${copy}.${randomUUID()}`;
  await mkdir(writing, { recursive: true });
  try {
    const program = fileURLToPath(new URL('write-optimized-weights.ts', import.meta.url));
    await promisify(execFile)(process.execPath, [program, original, join(writing, WEIGHTS)], {
      env: { ...process.env, ORT_DISABLE_TELEMETRY: '1' },
      timeout: WRITING_TIMEOUT_MS,
    });
    // A copy that a power failure has left half written would give wrong vectors.
    for (const name of await readdir(writing)) await syncFile(join(writing, name));
    await rename(writing, copy);
  } catch (error) {
    await rm(writing, { recursive: true, force: true });
    // Another process was faster.
    if (!existsSync(join(copy, WEIGHTS))) throw error;
  }
}

async function syncFile(path: string): Promise<void> {
  await using file = await open(path, 'r');
  await file.sync();
}
