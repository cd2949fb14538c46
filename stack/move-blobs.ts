/**
 * `npm run move-blobs -- --to s3` or `-- --to folder`: copies all blobs from the other store, with the settings of the API.
 * It can run while the service runs, be interrupted and be repeated; see `docs/operations.md`.
 */
import { parseArgs } from 'node:util';
import { readConfig } from '#config/index.ts';
import { openBlobStore } from '#services/open-blob-store.ts';
import { workFolders } from '#services/work-folders.ts';
import { createBlobCopies } from '#store/blobs/blob-copies.ts';
import { moveBlobs } from '#store/blobs/move-blobs.ts';
import { createSpool } from '#store/blobs/spool.ts';
import { createPostgres } from '#store/postgres.ts';
import { reasonOf, StackError } from './stack-error.ts';

const USAGE = 'Usage: npm run move-blobs -- --to s3, or npm run move-blobs -- --to folder';
const MAX_NAMED = 20;

try {
  const { to } = parseArgs({ options: { to: { type: 'string' } } }).values;
  if (to !== 's3' && to !== 'folder') throw new StackError(USAGE);
  await move(to);
} catch (error) {
  console.error(reasonOf(error));
  process.exitCode = 1;
}

async function move(kind: 's3' | 'folder'): Promise<void> {
  const config = readConfig(process.env);
  if (config.blobs.s3 === null) throw new StackError('Set LOCI_S3_BUCKET and the other settings of the bucket.');
  await using closing = new AsyncDisposableStack();
  const database = createPostgres({ ...config.database, applicationName: 'loci-move-blobs' });
  closing.defer(() => database.destroy());
  const [from, to] = await Promise.all([
    openBlobStore(config, kind === 's3' ? 'folder' : 's3'),
    openBlobStore(config, kind),
  ]);
  closing.defer(() => from.close());
  closing.defer(() => to.close());
  await to.ping();
  await from.ping();
  const { copied, complete, removed, missing } = await moveBlobs({
    copies: createBlobCopies(database),
    from,
    to,
    spool: createSpool(workFolders(config.blobs).spool),
    onProgress: (result) => console.log(`${result.copied} copied`),
  });
  const counts = `${copied} copied, ${removed} copies of removed blobs deleted, ${missing.length} missing`;
  console.log(`done: ${counts}; now in the ${to.name}: ${complete}`);
  for (const blob of missing.slice(0, MAX_NAMED)) console.log(`  missing or damaged: ${blob}`);
  if (missing.length > 0) process.exitCode = 1;
}
