import { UploadForm, UploadResponse } from '#domain/records/upload.ts';
import { acceptUpload } from '#operations/uploads/accept-upload.ts';
import { registerBlobs } from '#operations/blobs/retain-blobs.ts';
import { uploadFormIssues } from '#operations/uploads/plan-upload.ts';
import { waitForUpload } from '#operations/uploads/wait-for-upload.ts';
import { abortOnClose } from '#api/http/request/abort-on-close.ts';
import { readWaitPreference } from '#api/http/request/wait-preference.ts';
import { receiveUpload } from '#api/http/multipart/receive-upload.ts';
import { Reply } from '#api/http/response/reply.ts';
import { route } from '#api/http/route.ts';
import { uploadFingerprint } from '#api/http/multipart/upload-fingerprint.ts';

export const uploadContentRoute = route(
  {
    method: 'post',
    path: '/upload',
    tag: 'Uploads',
    summary: 'Upload files, text and URLs into a collection',
    description: [
      'Takes any number of `file`, `files`, `content` and `urls` in one form; `content_type` is a hint only. `urls` may be sent',
      'several times or as one JSON array, `metadata` is a JSON object as text. Answers when everything is stored safely;',
      'reading, splitting and indexing follow. An item that cannot be taken is told in `errors`, the others go on; when none',
      'can be taken, the answer has status 400 and the same body.',
      '',
      'The same bytes under the same name are taken once: the item says `duplicate: true`. `on_duplicate=keep` takes them again.',
      '',
      '`crawl=true` follows the links of each URL on its site: `max_pages`, `max_depth`. The pages become contents of the upload as',
      'they are fetched, each with its own status; `GET /uploads/{id}` tells how far the crawl is.',
      '',
      'The header `Prefer: wait=30` (at most 60) has the answer wait until the contents are ready or the time is over; the',
      'statuses in it are then those of that moment.',
    ].join('\n'),
    permission: 'uploads:write',
    form: { schema: UploadForm, files: { file: 'one', files: 'many' } },
    response: UploadResponse,
    status: 202,
    validationStatus: 400,
    idempotent: true,
    otherStatuses: {
      403: 'The collection does not exist, is archived, or is not accessible with this key',
      413: 'The request, or its number of items, is over the limit',
      415: 'The body is no multipart form',
    },
  },
  async ({ services, caller, context, idempotency: claimed }) => {
    const received = await receiveUpload(context, {
      workspaceId: caller.scope.workspaceId,
      blobs: services.blobs,
      limits: services.limits,
      stored: (blobs) => registerBlobs(services, caller, blobs),
      inspect: (form, counts) => uploadFormIssues(services, form, counts),
    });
    const idempotency = claimed === null ? null : { key: claimed.key, fingerprint: uploadFingerprint(received) };
    const { status, body } = await acceptUpload(services, caller, { ...received, idempotency });
    const timeoutS = readWaitPreference(context);
    const wait = { response: body, timeoutS, signal: abortOnClose(context) };
    return Reply.json(await waitForUpload(services, caller, wait), { status });
  },
);
