import type { parseHTML as ParseHtml } from 'linkedom';

type Root = ReturnType<typeof ParseHtml>['document']['documentElement'];
type Element = Pick<Root, 'firstElementChild' | 'nextElementSibling' | 'parentElement'>;

/** A shorter text is a teaser or a caption, not the main content. */
const MIN_CHARACTERS = 200;
/** A smaller share of the page is one of many equal parts, as on a page of lists. */
const MIN_SHARE = 0.2;
const MAX_ELEMENTS = 100_000;
/** Readability takes time in proportion to the depths of all elements. Of pages that people write, the mean is 10 to 20. */
const MAX_MEAN_DEPTH = 30;
/** Pages with fewer elements may have any depth. */
const MIN_ELEMENTS = 2_000;

/**
 * Extracts the main content of a page, without the parts that every page of the site has, with Mozilla's Readability.
 * Null when there is no such part; then the whole page is the text.
 */
export async function extractMainText(page: Root, title: string): Promise<{ root: Root } | null> {
  if (isTooDeep(page)) return null;
  const { parseHTML } = await import('linkedom');
  const { Readability } = await import('@mozilla/readability');
  // Readability changes the document that it reads, and requires a complete one.
  const { document } = parseHTML('<!doctype html><html><head><title></title></head><body></body></html>');
  document.title = title;
  try {
    document.body.innerHTML = page.innerHTML;
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

function isTooDeep(page: Root): boolean {
  let [elements, depths, depth] = [0, 0, 1];
  let element: Element | null = page.firstElementChild;
  while (element && element !== page) {
    elements += 1;
    depths += depth;
    if (element.firstElementChild) {
      element = element.firstElementChild;
      depth += 1;
      continue;
    }
    while (element && element !== page && !element.nextElementSibling) {
      element = element.parentElement;
      depth -= 1;
    }
    if (element !== page) element = element?.nextElementSibling ?? null;
  }
  return elements > MIN_ELEMENTS && depths > MAX_MEAN_DEPTH * elements;
}
