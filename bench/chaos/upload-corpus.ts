import { createHash } from 'node:crypto';
import type { UploadResponse } from '#domain/records/upload.ts';
import { formFor } from '#test/support/harness/api-client.ts';
import type { Corpus, Document } from './corpus.ts';
import type { PageServer } from './page-server.ts';
import type { AcknowledgedContent } from './round-result.ts';

/** One upload of documents into a collection: files, and addresses of pages. */
export type CorpusUpload = {
  /** The body of the request, new each time. */
  form(): FormData;
  /** @throws Error unless every document was accepted */
  acknowledge(answer: UploadResponse): { uploadId: string; contents: AcknowledgedContent[] };
};

/** Prepares an upload; its pages are offered for download from now on. */
export function prepareUpload(corpus: Corpus, { pages, collectionId }: { pages: PageServer; collectionId: string }) {
  const urls = corpus.pages.map((page) => [pages.offer(page), page] as const);
  const documents = new Map<string, Document>([...corpus.files.map((file) => [file.name, file] as const), ...urls]);
  const files = corpus.files.map(
    ({ name, mediaType, bytes }) => ['files', new File([new Uint8Array(bytes)], name, { type: mediaType })] as const,
  );
  const upload: CorpusUpload = {
    form: () => formFor(collectionId, [...files, ...urls.map(([url]) => ['urls', url] as const)]),
    acknowledge({ uploads, upload_id: uploadId }) {
      const contents = uploads.map(({ content_id: contentId, name }): AcknowledgedContent => {
        const document = documents.get(name);
        if (document === undefined) throw new Error(`the response contains an unknown content ${name}`);
        const { sentence, bytes } = document;
        const sha256 = createHash('sha256').update(bytes).digest('hex');
        return { contentId, collectionId, sentence, expectedOutcome: 'ready', deletionId: null, sha256 };
      });
      if (contents.length < documents.size || uploadId === null) throw new Error('not all documents were accepted');
      return { uploadId, contents };
    },
  };
  return upload;
}
