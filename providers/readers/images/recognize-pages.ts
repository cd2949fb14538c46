/** The source of page images; null for a page that cannot be rendered. */
export type PageImages = { renderPage(page: number): Uint8Array | null };

export type RecognizedPages = {
  /** Texts by page, counted from 0; empty when nothing was recognized. */
  texts: ReadonlyMap<number, string>;
  /** Mean over the pages with text, 0 to 100. */
  confidence: number;
  /** Number of pages skipped for lack of time. */
  leftOut: number;
};

/** Share of the time for the whole document that OCR may use. */
const TIME_SHARE = 0.7;
const DEFAULT_TIMEOUT_MS = 300_000;

/**
 * Recognizes the text of page images until the time is over. It is processor time, so that pages are not left out because other
 * work keeps the machine busy.
 */
export async function recognizePages(
  images: PageImages,
  pages: readonly number[],
  timeoutMs: number = DEFAULT_TIMEOUT_MS,
): Promise<RecognizedPages> {
  const { recognizeText } = await import('./recognize-text.ts');
  const deadlineMs = cpuTimeMs() + timeoutMs * TIME_SHARE;
  const texts = new Map<number, string>();
  let confidence = 0;
  let recognized = 0;
  for (const [index, page] of pages.entries()) {
    if (cpuTimeMs() > deadlineMs)
      return { texts, confidence: mean(confidence, recognized), leftOut: pages.length - index };
    const image = images.renderPage(page);
    const found = image && (await recognizeText(image));
    texts.set(page, found?.text ?? '');
    if (!found || found.text === '') continue;
    confidence += found.confidence;
    recognized += 1;
  }
  return { texts, confidence: mean(confidence, recognized), leftOut: 0 };
}

function cpuTimeMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function mean(sum: number, count: number): number {
  return count === 0 ? 0 : Math.round(sum / count);
}
