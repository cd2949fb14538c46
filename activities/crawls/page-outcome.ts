import type { StoredBlob } from '#domain/blob-store.ts';
import type { ErrorCode } from '#domain/app-error.ts';
import type { Link } from '#providers/crawler/page-protocol.ts';

/** By which the site can be asked later whether a page has changed. */
export type Validators = { etag: string | null; lastModified: string | null };

/** What asking for a page of the frontier came to. */
export type PageOutcome =
  | { kind: 'robots'; robots: string; delayMs: number | null; sitemaps: readonly Link[]; isStartAllowed: boolean }
  | { kind: 'sitemap'; links: readonly Link[]; sitemaps: readonly Link[] }
  | {
      kind: 'document';
      type: string;
      blob: StoredBlob;
      canonical: Link | null;
      links: readonly Link[];
      validators: Validators;
      /** Of a page: what it is told by when its bytes differ but not what it says. */
      fingerprint: string | null;
    }
  | { kind: 'unchanged'; links: readonly Link[]; validators: Validators }
  /** `to` is null where it leads out of the site; `address` is where. */
  | { kind: 'redirect'; to: Link | null; address: string }
  | { kind: 'skipped'; reason: 'robots' | 'noindex' | 'type' | 'empty'; links: readonly Link[] }
  | { kind: 'gone'; message: string }
  | { kind: 'failed'; code: ErrorCode; message: string }
  /** Worth another try; `afterMs` as the site wants, 0 when it does not say. */
  | { kind: 'again'; code: ErrorCode; message: string; afterMs: number };
