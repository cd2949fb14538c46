import type { ReceivedItem } from '#operations/uploads/plan-upload.ts';
import { fingerprintOf } from '#api/http/request/idempotency.ts';
import type { ReceivedUpload } from './receive-upload.ts';

/** Returns the fingerprint of an upload: of the parsed form and, in order, of the name and bytes of each item. */
export function fingerprintUpload(upload: ReceivedUpload): string {
  return fingerprintOf('post /upload', {
    form: upload.form,
    items: upload.items.map(identityOf),
    errors: upload.errors.map(({ name, source, code }) => ({ name, source, code })),
  });
}

function identityOf(item: ReceivedItem): Record<string, string | null> {
  return item.source === 'url'
    ? { url: item.url }
    : { source: item.source, name: item.name, type: item.declaredType, sha256: item.blob.sha256 };
}
