import type { UploadResult } from '../upload/upload.ts';
import type { ReadyResult } from '../wait-until-ready.ts';
import { oneLine } from './printable.ts';

/** Output of `loci upload --json`. */
export type UploadReport = {
  collection_id: string;
  upload_ids: string[];
  /** Number of given items. */
  total: number;
  /** Number of new contents. */
  added: number;
  /** Number of contents with the same `external_id` that get new bytes. */
  replaced: number;
  /** Number of items that the collection already had. */
  present: number;
  /** True if the command waited for the ingestion; `failed` then includes its failures. */
  waited: boolean;
  failed: { input: string; content_id: string | null; code: string; message: string }[];
};

type Item = UploadResult['items'][number];
type Failed = ReadyResult['failed'][number];

/** Contents that could not be ingested, under the inputs with which they were sent, and with the reasons. */
export function ingestionFailures(items: readonly Item[], failed: readonly Failed[]) {
  const inputs = new Map(items.map(({ content_id, input }) => [content_id, input]));
  return failed.map(({ content_id, name, status, error_code, status_message }) => ({
    input: inputs.get(content_id) ?? name,
    content_id,
    name,
    code: error_code ?? status,
    message: status_message ?? `The status is ${status}.`,
  }));
}

/** Creates the report of an upload. `ready` is null if the command did not wait for the ingestion. */
export function createUploadReport(collectionId: string, sent: UploadResult, ready: ReadyResult | null): UploadReport {
  const refused = sent.failures.map(({ input, code, message }) => ({ input, content_id: null, code, message }));
  const failed = ingestionFailures(sent.items, ready?.failed ?? []).map(({ input, content_id, code, message }) => ({
    input,
    content_id,
    code,
    message,
  }));
  return {
    collection_id: collectionId,
    upload_ids: sent.uploadIds,
    total: sent.items.length + sent.failures.length,
    added: sent.items.filter(({ duplicate }) => !duplicate).length,
    replaced: sent.items.filter(({ replaced }) => replaced).length,
    present: sent.items.filter(({ duplicate, replaced }) => duplicate && !replaced).length,
    waited: ready !== null,
    failed: [...refused, ...failed],
  };
}

/** Formats the report as text, with failures at the end. */
export function formatUploadReport(report: UploadReport): string {
  const { total, added, replaced, present, waited, failed, upload_ids: ids } = report;
  const changed = replaced === 0 ? '' : ` ${replaced} replaced,`;
  const done = `${added} added,${changed} ${present} already present, ${failed.length} failed, of ${total}.`;
  const [id] = ids;
  const progress = ids.length === 1 ? `loci uploads get ${id}` : 'loci contents list';
  const continues = waited || id === undefined ? '' : ` Ingestion continues; ${progress} shows the progress.`;
  const lines = failed.map(({ input, message }) => `  ${oneLine(input)}: ${oneLine(message)}`);
  return [done + continues, ...(lines.length > 0 ? ['Failed:', ...lines] : [])].join('\n');
}
