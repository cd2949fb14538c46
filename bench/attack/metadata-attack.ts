import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Content } from '#domain/records/content.ts';
import { metadataTermLimit } from '#domain/filters/facets.ts';
import { sampleText } from '#bench/sample-texts.ts';
import { mebibytes } from '#bench/statistics.ts';
import type { Attack } from './attack.ts';
import type { Target } from './target.ts';
import { folderBytes } from './upload-attacks.ts';

const TEXT_BYTES = 1024 * 1024;
const MANY_KEYS = 2_000;
/** A key and its text. */
const TERMS_OF_KEY = 2;
/** Weaviate writes its log a moment later. */
const WRITTEN_AFTER_MS = 2_000;

type Ingested = { status: string; code: string; chunks: number; indexBytes: number };

/** Metadata that all chunks of a large text store. */
export const metadataAttack: Attack = {
  title: '1 MiB of text with 2,000 metadata keys',
  group: 'metadata',
  before: '174 MB of index, 23 without metadata',
  requestsAtOnce: 1,
  prepare: async (target) => {
    const without = await ingest(target, 0);
    return async () => {
      const many = await ingest(target, MANY_KEYS);
      const keys = Math.floor(metadataTermLimit(without.chunks) / TERMS_OF_KEY);
      const most = await ingest(target, keys);
      return [
        `${many.status} ${many.code}, ${mebibytes(many.indexBytes)} of index`,
        `with the ${keys} keys that are allowed ${most.status}, ${mebibytes(most.indexBytes)}`,
        `without ${mebibytes(without.indexBytes)}`,
      ].join('; ');
    };
  },
};

/** The same text each time, so that it has the same chunks. */
async function ingest(target: Target, keys: number): Promise<Ingested> {
  const folder = join(target.stack.servers.context.stateDir, 'weaviate');
  const before = await folderBytes(folder);
  const metadata = Object.fromEntries(Array.from({ length: keys }, (_, key) => [`key_${key}`, `value ${key}`]));
  const { upload_id: id, uploads } = await target.upload([
    ['metadata', JSON.stringify(metadata)],
    ['files', new Blob([sampleText(1, TEXT_BYTES)], { type: 'text/plain' }), `${keys} keys.txt`],
  ]);
  const { progress } = await target.client.settled(id ?? '');
  await delay(WRITTEN_AFTER_MS);
  const indexBytes = (await folderBytes(folder)) - before;
  const content = await target.call(`/contents/${uploads[0]?.content_id}`, Content);
  return { status: content.status, code: content.error_code ?? '', chunks: progress.chunks, indexBytes };
}
