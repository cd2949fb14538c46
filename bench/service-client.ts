import { openAsBlob } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import { Collection } from '#domain/records/collection.ts';
import { MissingResult } from '#domain/records/missing-result.ts';
import { SearchResponse, type SearchType } from '#domain/records/search.ts';
import { UploadProgress, UploadResponse } from '#domain/records/upload.ts';

/** A file to upload: its name, and its text or path. */
export type UploadFile = { name: string } & ({ text: string } | { path: string });
/** Result of an ingestion. `refused` counts files that the upload rejected, for example because of their type. */
export type IngestResult = { ready: number; failed: number; refused: number; chunks: number };

export type ServiceClient = ReturnType<typeof createServiceClient>;

/** Short enough not to affect a measurement, long enough not to cause load. */
const POLL_MS = 250;
/** Files per request; the default limit of the service. */
const ITEMS_PER_REQUEST = 1_000;
const API = '/api/v1';

/** Returns a client for a running API with one key. Every call throws on an unsuccessful response. */
export function createServiceClient(baseUrl: string, apiKey: string) {
  const pool = new Pool(baseUrl, { connections: 64 });
  const key = { 'X-API-Key': apiKey };

  const json = async (method: 'GET' | 'POST', path: string, body?: object): Promise<unknown> => {
    const headers = { ...key, 'Content-Type': 'application/json' };
    const answer = await pool.request({ method, path: API + path, headers, body: body ? JSON.stringify(body) : null });
    const text = await answer.body.text();
    if (answer.statusCode >= 300) throw new Error(`${method} ${path} returned ${answer.statusCode}: ${text}`);
    return JSON.parse(text);
  };

  /** Uploads files in one streamed request. */
  const upload = async (
    collectionId: string,
    files: readonly UploadFile[],
    fields: Readonly<Record<string, string>> = {},
  ): Promise<UploadResponse> => {
    const form = new FormData();
    form.append('collection_id', collectionId);
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    for (const file of files) {
      const blob = 'text' in file ? new Blob([file.text], { type: 'text/plain' }) : await openAsBlob(file.path);
      form.append('files', blob, file.name);
    }
    const response = await fetch(`${baseUrl}${API}/upload`, { method: 'POST', headers: key, body: form });
    const text = await response.text();
    // A 400 means that no item was accepted; its errors give the reasons.
    if (!response.ok && response.status !== 400) throw new Error(`upload returned ${response.status}: ${text}`);
    return UploadResponse.parse(JSON.parse(text));
  };

  const progressOf = async (uploadId: string): Promise<UploadProgress> =>
    UploadProgress.parse(await json('GET', `/uploads/${uploadId}?limit=1`));

  /** Waits until an upload has no more work to do. */
  const waitUntilFinished = async (uploadId: string): Promise<UploadProgress> => {
    for (;;) {
      const progress = await progressOf(uploadId);
      if (progress.progress.settled === progress.progress.total) return progress;
      await delay(POLL_MS);
    }
  };

  /** Uploads any number of files in several requests, and waits until all are ready or failed. */
  const ingest = async (collectionId: string, files: readonly UploadFile[]): Promise<IngestResult> => {
    const result: IngestResult = { ready: 0, failed: 0, refused: 0, chunks: 0 };
    const uploads: string[] = [];
    for (let start = 0; start < files.length; start += ITEMS_PER_REQUEST) {
      const answer = await upload(collectionId, files.slice(start, start + ITEMS_PER_REQUEST));
      result.refused += answer.failed_uploads;
      if (answer.upload_id !== null) uploads.push(answer.upload_id);
    }
    for (const id of uploads) {
      const { progress } = await waitUntilFinished(id);
      result.ready += progress.by_status['ready'] ?? 0;
      result.failed += progress.by_status['failed'] ?? 0;
      result.chunks += progress.chunks;
    }
    return result;
  };

  return {
    upload,
    progress: progressOf,
    settled: waitUntilFinished,
    ingest,
    createCollection: async (name: string) => Collection.parse(await json('POST', '/collections', { name })),
    search: async (search: { collectionId: string; query: string; type: SearchType; limit: number }) =>
      SearchResponse.parse(
        await json('POST', '/collections/search', {
          collection_id: search.collectionId,
          query: search.query,
          search_type: search.type,
          max_results: search.limit,
        }),
      ),
    searchWith: async (request: object) => SearchResponse.parse(await json('POST', '/collections/search', request)),
    explain: async (request: object) => MissingResult.parse(await json('POST', '/collections/search/explain', request)),
    close: () => pool.close(),
  };
}
