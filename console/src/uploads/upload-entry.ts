import type { Schemas } from '../api/schemas.ts';

/** Something that is being uploaded, until its ingestion has ended. */
export type UploadEntry = {
  /** Within this tab. */
  id: number;
  collectionId: string;
  /** File name, path within a folder, or address. */
  name: string;
  source: { kind: 'file'; file: File } | { kind: 'url'; url: string; crawl: boolean };
  state: 'waiting' | 'sending' | 'accepted' | 'duplicate' | 'failed';
  /** Share of the bytes of its request that are sent, from 0 to 1. */
  sent: number;
  uploadId: string | null;
  contentId: string | null;
  /** Status of the content once it is accepted. */
  status: Schemas['Content']['status'] | null;
  /** Why it failed or what it waits for, in the words of the service. */
  message: string | null;
};

const SETTLED: ReadonlySet<string> = new Set(['stored', 'ready', 'failed', 'cancelled', 'deleting']);

/** True when nothing more happens to it by itself. */
export function isEntrySettled({ state, status }: UploadEntry): boolean {
  return state === 'failed' || state === 'duplicate' || (status !== null && SETTLED.has(status));
}

/** True while it waits to be sent, or is being sent. */
export function isUnsent({ state }: UploadEntry): boolean {
  return state === 'waiting' || state === 'sending';
}

/** Bytes to send. */
export function sizeOfEntry({ source }: UploadEntry): number {
  return source.kind === 'file' ? source.file.size : source.url.length;
}
