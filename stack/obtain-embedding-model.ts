/** `node stack/obtain-embedding-model.ts`: obtains the local embedding model in LOCI_CACHE_DIR, for example for an image. */
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { acquireEmbeddingModel } from '#stack/acquire/acquire-embedding-model.ts';

const acquired = await acquireEmbeddingModel({
  cacheDir: resolve(process.env['LOCI_CACHE_DIR'] ?? join(homedir(), '.cache', 'loci')),
  environment: process.env,
  log: (line) => console.log(line),
});
if ('unavailable' in acquired) {
  console.error(`No embedding model: ${acquired.unavailable}`);
  process.exitCode = 1;
} else {
  console.log(acquired.folder);
}
