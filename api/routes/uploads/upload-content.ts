import { UploadForm, UploadResponse } from '#domain/records/upload.ts';
import { acceptUpload } from '#operations/uploads/accept-upload.ts';
import { requireUploadAccess } from '#operations/uploads/require-upload-access.ts';
import { uploadFormIssues } from '#operations/uploads/plan-upload.ts';
import { waitForUpload } from '#operations/uploads/wait-for-upload.ts';
import { abortOnClose } from '#api/http/request/abort-on-close.ts';
import { ReceivingSlots } from '#api/http/request/receiving-slots.ts';
import { readWaitPreference } from '#api/http/request/wait-preference.ts';
import { receiveUpload } from '#api/http/multipart/receive-upload.ts';
import { Reply } from '#api/http/response/reply.ts';
import { route } from '#api/http/route.ts';
import { fingerprintUpload } from '#api/http/multipart/upload-fingerprint.ts';

const slots = new ReceivingSlots({ what: 'uploads', perWorkspace: 32, perProcess: 64, maxWaitMs: 30_000 });

export const uploadContentRoute = route(
  {
    method: 'post',
    path: '/upload',
    tag: 'Uploads',
    summary: 'Upload files, text and URLs into a collection',
    description: [
      'Accepts any number of `file`, `files`, `content` and `urls` in one form; `content_type` is only a hint. `urls` may be sent',
      'several times or as one JSON array; `metadata` is a JSON object as text. The response is sent when all items are stored;',
      'reading, splitting and indexing follow. Items that are rejected are reported in `errors`; the others continue. When every',
      'item is rejected, the response has status 400 and the same body.',
      '',
      '`items` names an `external_id` and a `name` for each item, in order. A content with the `external_id` is replaced: the new',
      'version is published in one transaction, until then the earlier version is found.',
      '',
      'The same bytes under the same name are stored once: the item has `duplicate: true`. `on_duplicate=keep` stores them again.',
      'A content with an `external_id`, or that was stored with `keep`, is not recognized by its bytes.',
      '',
      '`crawl=true` follows the links of each URL within its site, limited by `max_pages` and `max_depth`. Each fetched page becomes a',
      'content of the upload with its own status; `GET /uploads/{id}` reports the progress of the crawl.',
      '',
      'The header `Prefer: wait=30` (at most 60) delays the response until the contents are ready or the time is over; it then',
      'contains their current statuses.',
    ].join('\n'),
    permission: 'uploads:write',
    form: {
      schema: UploadForm,
      files: {
        file: { count: 'one', description: 'File to upload. The part may be repeated.' },
        files: { count: 'many', description: 'Files to upload, each as a part of its own with this name.' },
      },
    },
    response: UploadResponse,
    status: 202,
    validationStatus: 400,
    idempotent: true,
    otherStatuses: {
      403: 'The collection does not exist, is archived, or is not accessible with this key',
      413: 'The request, or its number of items, is over the limit',
      415: 'The body is not a multipart form',
    },
  },
  async ({ services, caller, context, idempotency: claimed }) => {
    using closing = new DisposableStack();
    closing.use(await slots.take(caller.scope.workspaceId, abortOnClose(context)));
    const accept = async () => {
      await using spooled = new AsyncDisposableStack();
      const received = await receiveUpload(context, {
        spool: async (bytes, maxBytes) => spooled.use(await services.blobs.spool(bytes, maxBytes)),
        limits: services.limits,
        requireAccess: (collectionId) =>
          requireUploadAccess(services, caller, { collectionId, key: claimed?.key ?? null }),
        inspect: (form, counts) => uploadFormIssues(services, form, counts),
      });
      const idempotency = claimed === null ? null : { key: claimed.key, fingerprint: fingerprintUpload(received) };
      return await acceptUpload(services, caller, { ...received, idempotency });
    };
    const { status, body } = await accept();
    // Somebody who waits for the result receives nothing any more.
    closing.dispose();
    const timeoutS = readWaitPreference(context);
    const wait = { response: body, timeoutS, signal: abortOnClose(context) };
    return Reply.json(await waitForUpload(services, caller, wait), { status });
  },
);
