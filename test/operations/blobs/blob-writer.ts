/**
 * A process that stores or removes a text as a blob, and stops at a point until it is killed:
 * `blob-writer.ts <point> <workspace> <text>`, with the settings of the services. Prints the point when it is there.
 */
import { readConfig } from '#config/index.ts';
import { openBlobStore } from '#services/open-blob-store.ts';
import { workFolders } from '#services/work-folders.ts';
import { createBlobs } from '#store/blobs/blobs.ts';
import { createSpool } from '#store/blobs/spool.ts';
import { createPostgres } from '#store/postgres.ts';
import { createStores } from '#store/stores.ts';

const [, , point = '', workspaceId = '', text = ''] = process.argv;
const config = readConfig(process.env);
const database = createPostgres({ ...config.database, applicationName: 'loci-test' });
const { blobRows, system } = createStores(database);
const store = await openBlobStore(config);

/** At the point, waits to be killed; a timer keeps the process alive. */
async function reach(name: string): Promise<void> {
  if (name !== point) return;
  console.log(name);
  await new Promise((resolve) => void setTimeout(resolve, 600_000));
}

const folders = workFolders(config.blobs);
const blobs = createBlobs({
  rows: {
    ...blobRows,
    async claim(...asked) {
      await reach('spooled');
      const claimed = await blobRows.claim(...asked);
      await reach('row written');
      return claimed;
    },
  },
  removals: {
    ...system,
    async dueBlobRemovals(...asked) {
      await reach('row removed');
      return system.dueBlobRemovals(...asked);
    },
    async endBlobRemovals(...asked) {
      await reach('bytes deleted');
      await system.endBlobRemovals(...asked);
    },
  },
  store: {
    ...store,
    async put(...asked) {
      await store.put(...asked);
      await reach('bytes stored');
    },
  },
  spool: createSpool(folders.spool),
  readingFolder: folders.reading,
});

async function* bytes() {
  yield Buffer.from(text);
}

await using spooled = await blobs.spool(bytes(), 1e6);
const stored = await blobs.store(workspaceId, [spooled]);
await blobs.discard(workspaceId, stored);
store.close();
await database.destroy();
