import type { parseHTML as ParseHtml } from 'linkedom';

type Root = ReturnType<typeof ParseHtml>['document']['documentElement'];

/** Less is a teaser or a caption, not what a page is about. */
const MIN_CHARACTERS = 200;
/** Less of a page than this is one of many parts that matter, as on a page of lists. */
const MIN_SHARE = 0.2;
const MAX_ELEMENTS = 100_000;

/**
 * What a page is about, without what surrounds it on every page of its site, as Mozilla's reader view sees it. Null where there is
 * no such part: the page as a whole is its text then.
 */
export async function extractMainText(page: Root, title: string): Promise<{ root: Root } | null> {
  const { parseHTML } = await import('linkedom');
  const { Readability } = await import('@mozilla/readability');
  // It changes the document that it reads, and wants one that is whole.
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
    // Too many elements, or nested too deeply for it.
    return null;
  }
}
