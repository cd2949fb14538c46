/** Where pictures of pages come from; null for one that cannot be had. */
export type PageImages = { renderPage(page: number): Uint8Array | null };

export type RecognizedPages = {
  /** By page, counted from 0; empty where nothing was recognised. */
  texts: ReadonlyMap<number, string>;
  /** Mean over the pages with text, 0 to 100. */
  confidence: number;
  /** Pages for which no time was left. */
  leftOut: number;
};

/** Of the time for the whole document. */
const TIME_SHARE = 0.7;
const DEFAULT_TIMEOUT_MS = 300_000;

/** Recognises the text of pages that are pictures, as far as the time goes. */
export async function recognizePages(
  source: PageImages,
  pages: readonly number[],
  timeoutMs: number = DEFAULT_TIMEOUT_MS,
): Promise<RecognizedPages> {
  const { recognizeText } = await import('./recognize-text.ts');
  const deadline = performance.now() + timeoutMs * TIME_SHARE;
  const texts = new Map<number, string>();
  let confidence = 0;
  let recognized = 0;
  for (const [index, page] of pages.entries()) {
    if (performance.now() > deadline)
      return { texts, confidence: mean(confidence, recognized), leftOut: pages.length - index };
    const picture = source.renderPage(page);
    const found = picture && (await recognizeText(picture));
    texts.set(page, found?.text ?? '');
    if (!found || found.text === '') continue;
    confidence += found.confidence;
    recognized += 1;
  }
  return { texts, confidence: mean(confidence, recognized), leftOut: 0 };
}

function mean(sum: number, count: number): number {
  return count === 0 ? 0 : Math.round(sum / count);
}
