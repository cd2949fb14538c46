import { AppError } from '#domain/app-error.ts';
import { embedderName, type Embedder, type EmbedOptions } from '#domain/embedder.ts';
import type { ChunkToRewrite } from '#store/index/reindexings.ts';
import { vectorsOf, type Page } from './write-page.ts';

const HARMLESS_TEXT = 'The sun is shining.';

/** The rows of a page that have vectors, and those whose texts the embedder rejects. */
export type EmbeddedPage<Row> = {
  rows: Row[];
  vectors: Float32Array[];
  rejected: { row: Row; error: AppError }[];
};

/**
 * Embeds a page; if the embedder rejects it, row by row.
 * @throws AppError `internal` when the embedder rejects any text.
 */
export async function embedPage<Row extends ChunkToRewrite>(
  services: Parameters<typeof vectorsOf>[0],
  page: Page & { rows: readonly Row[] },
  options: EmbedOptions,
): Promise<EmbeddedPage<Row>> {
  try {
    return { rows: [...page.rows], vectors: await vectorsOf(services, page, options), rejected: [] };
  } catch (error) {
    if (!isRejected(error)) throw error;
  }
  const embedded: EmbeddedPage<Row> = { rows: [], vectors: [], rejected: [] };
  for (const row of page.rows) {
    try {
      embedded.vectors.push(...(await vectorsOf(services, { ...page, rows: [row] }, options)));
      embedded.rows.push(row);
    } catch (error) {
      if (!isRejected(error)) throw error;
      if (embedded.rejected.length === 0) await requireThatItEmbeds(page.embedder, options);
      embedded.rejected.push({ row, error });
    }
  }
  return embedded;
}

/** An embedder that is configured wrongly may reject every text, for which no content is to blame. @throws AppError `internal` */
async function requireThatItEmbeds(embedder: Embedder, options: EmbedOptions): Promise<void> {
  try {
    await embedder.embed([HARMLESS_TEXT], 'document', options);
  } catch (error) {
    if (!isRejected(error)) throw error;
    const name = embedderName(embedder.space);
    const message = `The embedder ${name} rejects every text, so its settings may be wrong: ${error.message}`;
    throw new AppError('internal', message, { cause: error });
  }
}

function isRejected(error: unknown): error is AppError {
  return error instanceof AppError && error.code === 'embedding_rejected';
}
