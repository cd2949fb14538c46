import type { UploadResult } from '../upload/upload.ts';
import type { ReadyResult } from '../wait-until-ready.ts';
import { oneLine } from './printable.ts';

/** What `loci upload --json` prints. */
export type Report = {
  collection_id: string;
  upload_ids: string[];
  /** Items given. */
  total: number;
  /** Contents that are new. */
  added: number;
  /** The collection had them. */
  present: number;
  /** Whether it was waited for their ingestion; the failures of ingestion are in `failed` then. */
  waited: boolean;
  failed: { input: string; content_id: string | null; code: string; message: string }[];
};

/** What became of everything that was given. Without `ready` nobody waited for the ingestion. */
export function reportOf(collectionId: string, sent: UploadResult, ready: ReadyResult | null): Report {
  const inputs = new Map(sent.items.map(({ content_id, input }) => [content_id, input]));
  const refused = sent.failures.map(({ input, code, message }) => ({ input, content_id: null, code, message }));
  const failed = (ready?.failed ?? []).map(({ content_id, name, status, status_message }) => ({
    input: inputs.get(content_id) ?? name,
    content_id,
    code: status,
    message: status_message ?? `It was ${status}.`,
  }));
  return {
    collection_id: collectionId,
    upload_ids: sent.uploadIds,
    total: sent.items.length + sent.failures.length,
    added: sent.items.filter(({ duplicate }) => !duplicate).length,
    present: sent.items.filter(({ duplicate }) => duplicate).length,
    waited: ready !== null,
    failed: [...refused, ...failed],
  };
}

/** The same for people, failures last. */
export function summary({ total, added, present, waited, failed }: Report): string {
  const done = `${added} added, ${present} there already, ${failed.length} failed, of ${total}.`;
  const goesOn = waited ? '' : ' Ingestion goes on; loci contents list shows how far it is.';
  const lines = failed.map(({ input, message }) => `  ${oneLine(input)}: ${oneLine(message)}`);
  return [done + goesOn, ...(lines.length > 0 ? ['Failed:', ...lines] : [])].join('\n');
}
