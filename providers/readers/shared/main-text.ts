import type { parseHTML as ParseHtml } from 'linkedom';

type Root = ReturnType<typeof ParseHtml>['document']['documentElement'];

/** A shorter text is a teaser or a caption, not the main content. */
const MIN_CHARACTERS = 200;
/** A smaller share of the page is one of many equal parts, as on a page of lists. */
const MIN_SHARE = 0.2;
const MAX_ELEMENTS = 100_000;

/**
 * Extracts the main content of a page, without the parts that every page of the site has, with Mozilla's Readability.
 * Null when there is no such part; then the whole page is the text.
 */
export async function extractMainText(page: Root, title: string): Promise<{ root: Root } | null> {
  const { parseHTML } = await import('linkedom');
  const { Readability } = await import('@mozilla/readability');
  // Readability changes the document that it reads, and requires a complete one.
  const { document } = parseHTML('<!doctype html><html><head><title></title></head><body></body></html>');
  document.title = title;
  document.body.innerHTML = page.innerHTML;
  try {
    const options = { maxElemsToParse: MAX_ELEMENTS, disableJSONLD: true, keepClasses: true };
    const article = new Readability<Root>(document, { ...options, serializer: (node) => node as Root }).parse();
    const length = article?.textContent?.trim().length ?? 0;
    const isEnough = length >= Math.max(MIN_CHARACTERS, MIN_SHARE * (page.textContent ?? '').trim().length);
    return isEnough && article?.content ? { root: article.content } : null;
  } catch {
    // Too many elements, or nested too deeply for Readability.
    return null;
  }
}
