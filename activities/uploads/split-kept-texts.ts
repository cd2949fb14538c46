import type { LocalFile, StoredBlob } from '#domain/blob-store.ts';
import type { Batch } from '#domain/uploads/ingest-steps.ts';
import { textKey } from '#domain/contents/text-key.ts';
import type { ReadResult, SplitPlan, WorkOptions } from '#providers/readers/reader-pool.ts';
import type { KeptText } from '#store/contents/existing-contents.ts';
import type { OwnedContent } from '#store/contents/contents.ts';
import { collectionScope } from '#domain/access/scope.ts';
import { mayHoldEntries } from '#activities/archives/entry-count.ts';
import type { WorkerServices } from '#activities/worker-services.ts';
import { checkOutEach } from './check-out-each.ts';
import type { Ingestion } from './ingestion.ts';

/** A stored text that was split again. */
export type SplitText = { content: OwnedContent; result: ReadResult; kept: StoredBlob };

/** The texts that were split, and the contents whose files must be read. Dispose after all results are consumed. */
export type SplitKeptTexts = AsyncDisposable & { texts: SplitText[]; others: OwnedContent[] };

type Checkout = LocalFile & { content: OwnedContent; text: KeptText };

/**
 * Splits the stored texts of contents that the same reader has extracted from the same bytes before, so their files are not read
 * again. Excludes archives and e-mails: their entries are not part of their text.
 */
export async function splitKeptTexts(
  { services, batch }: Ingestion,
  contents: readonly OwnedContent[],
  options: WorkOptions & { plan: SplitPlan },
): Promise<SplitKeptTexts> {
  const files = await checkOutTexts(services, batch, contents);
  const release = async () => void (await Promise.all(files.map((file) => file.release())));
  if (files.length === 0) return { texts: [], others: [...contents], [Symbol.asyncDispose]: release };
  try {
    const tasks = files.map(({ path, bytes, text }) => ({ path, bytes, pages: pagesOf(text) }));
    const split = await services.documents.split(tasks, options);
    const texts: SplitText[] = [];
    for (const [place, outcome] of split.outcomes.entries()) {
      const file = files[place];
      // A text that cannot be split is read from its file, which reports what is wrong with it.
      if (!file || !outcome.ok || outcome.result.chunkCount === 0) continue;
      const { content, text } = file;
      const { bytes } = text.text_facts;
      const result = { ...outcome.result, sizeBytes: bytes, pages: pagesOf(text), notes: {}, text: noText };
      texts.push({ content, result, kept: { sha256: text.text_sha256, sizeBytes: bytes } });
    }
    const isSplit = (id: string) => texts.some(({ content }) => content.content_id === id);
    const others = contents.filter(({ content_id: id }) => !isSplit(id));
    const dispose = async () => {
      await split[Symbol.asyncDispose]();
      await release();
    };
    return { texts, others, [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await release();
    throw error;
  }
}

async function checkOutTexts(
  services: WorkerServices,
  batch: Batch,
  contents: readonly OwnedContent[],
): Promise<Checkout[]> {
  const candidates = contents
    .filter((content) => content.content_hash !== null && !content.reread && !mayHoldEntries(content))
    .map((content) => ({ content, content_id: content.content_id, text_key: textKey(content) }));
  const found = await services.stores.existingContents.findKeptTexts(
    collectionScope(batch),
    candidates.map(({ content_id, text_key }) => ({ content_id, text_key })),
  );
  const stored = found.flatMap((text) => {
    const content = contents.find(({ content_id: id }) => id === text.content_id);
    return content ? { content, text, sha256: text.text_sha256 } : [];
  });
  // A text that is missing is extracted again.
  return (await checkOutEach(services, batch.workspace_id, stored)).files;
}

function pagesOf({ text_facts: { pages } }: KeptText) {
  return pages.map(([page, start]) => ({ page, start }));
}

async function* noText(): AsyncIterable<Uint8Array> {}
