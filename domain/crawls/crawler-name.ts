/** The name by which robots.txt, pages and headers address this crawler (RFC 9309, 2.2.1). */
export const CRAWLER_NAME = 'Loci';

/** Returns the `User-Agent` of crawl requests. `contact` is a URL or address that site operators find in their logs. */
export function crawlerAgent(contact: string | undefined): string {
  return `${CRAWLER_NAME}/1.0 (crawler${contact === undefined ? '' : `; +${contact}`})`;
}
