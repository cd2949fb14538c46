/** The name by which robots.txt, pages and headers address this crawler (RFC 9309, 2.2.1). */
export const CRAWLER_NAME = 'Loci';

/** What crawls send as `User-Agent`; whoever finds it in a log learns whom to write to. */
export function crawlerAgent(contact: string | undefined): string {
  return `${CRAWLER_NAME}/1.0 (crawler${contact === undefined ? '' : `; +${contact}`})`;
}
