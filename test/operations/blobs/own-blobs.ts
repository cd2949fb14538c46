import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import type { StoredBlob } from '#domain/blob-store.ts';
import { query } from '#store/postgres.ts';
import { makePlace } from '#test/support/harness/content-runs.ts';
import { openOwnServices } from '#test/support/harness/own-services.ts';
import { s3Server } from '#test/store/blobs/blob-stores.ts';

export async function* once(text: string): AsyncIterable<Uint8Array> {
  yield Buffer.from(text);
}

/**
 * Services with a blob store of one of the kinds, and what the tests of blobs look at. `rowBytes`: up to this size, bytes are in the
 * rows; none by default.
 */
export async function openBlobs(t: ExecutionContext, kind: 'folder' | 's3', { rowBytes = 0 } = {}) {
  const prefix = randomUUID();
  const server = kind === 's3' ? await s3Server() : null;
  const workDir = await mkdtemp(join(tmpdir(), 'loci-work-'));
  t.teardown(() => rm(workDir, { recursive: true, force: true }));
  const bucket = server === null ? {} : { ...server.environment, LOCI_S3_PREFIX: prefix };
  const settings = { ...bucket, LOCI_WORK_DIR: workDir, LOCI_BLOB_ROW_BYTES: String(rowBytes) };
  const own = await openOwnServices(t, { temporal: 'away', settings });
  const { services, database, blobDir } = own;
  const folder = server === null ? blobDir : join(server.folder, prefix);
  const place = await makePlace(database);
  const { workspaceId } = place.scope;
  const put = (text: string) => services.blobs.put(workspaceId, once(text), 1e6);
  /** Marks a blob as unused since some hours ago. */
  const age = ({ sha256 }: StoredBlob, hours: number) =>
    query(database, `update blobs set unused_since = now() - :hours * interval '1 hour' where sha256 = :sha256`, {
      sha256,
      hours,
    });
  /** Stores a blob like an upload does, unused since some hours ago. */
  const stored = async (text: string, hours: number) => {
    const blob = await put(text);
    await age(blob, hours);
    return blob;
  };
  /** Names of the stored files, which begin with their hashes. */
  const files = async () => {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
    return entries.flatMap((entry) => (entry.isFile() && /^[0-9a-f]{64}/.test(entry.name) ? [entry.name] : []));
  };
  const state = async ({ sha256 }: StoredBlob) => {
    const rows = await query(database, 'select from blobs where sha256 = :sha256', { sha256 });
    return { row: rows.length === 1, bytes: (await files()).some((name) => name.startsWith(sha256)) };
  };
  const refer = (column: string, { sha256 }: StoredBlob, id: string) => {
    const [table, key] = column === 'content_hash' ? ['contents', 'id'] : ['content_collections', 'content_id'];
    return query(database, `update ${table} set ${column} = :sha256 where ${key} = :id`, { sha256, id });
  };
  /** The folder of everything in the workspace. */
  const root = join(folder, workspaceId);
  return { ...own, workDir, root, place, put, age, stored, files, state, refer };
}

export const PRESENT = { row: true, bytes: true };
export const REMOVED = { row: false, bytes: false };
