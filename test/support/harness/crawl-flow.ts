import type { UploadProgress } from '#domain/records/upload.ts';
import type { Flow } from './flow.ts';
import { until } from './eventually.ts';

/** An upload with its only crawl, and all of its contents. */
export type Crawled = UploadProgress & { crawl: UploadProgress['crawls'][number] };

/** Crawls from a URL and waits until the upload is complete. */
export async function crawl(flow: Flow, url: string, fields: Readonly<Record<string, string>> = {}): Promise<Crawled> {
  return untilOver(flow, await startCrawl(flow, url, fields));
}

/** Starts a crawl. Returns the id of its upload. */
export async function startCrawl(
  flow: Flow,
  url: string,
  fields: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { upload_id } = await flow.send(['urls', url], ['crawl', 'true'], ...Object.entries(fields));
  if (upload_id === null) throw new Error('the upload was rejected');
  return upload_id;
}

/** Waits until an upload is no longer running. @throws Error when there is no progress for a minute */
export async function untilOver(flow: Flow, uploadId: string): Promise<Crawled> {
  let last = await crawled(flow, uploadId);
  const factsOf = ({ status, progress, crawl: one }: Crawled) => JSON.stringify([status, progress, one.pages]);
  while (last.status === 'running') {
    const before = factsOf(last);
    last = await until(
      () => crawled(flow, uploadId),
      (now) => factsOf(now) !== before,
    );
  }
  return last;
}

/** The current state of an upload and its crawl. */
export async function crawled(flow: Flow, uploadId: string): Promise<Crawled> {
  const whole = await flow.progress(`${uploadId}?limit=1000`);
  const [first] = whole.crawls;
  if (!first) throw new Error('the upload has no crawl');
  return { ...whole, crawl: first };
}

/** The status of each content by its path on the site. */
export function statusesOf({ contents }: UploadProgress, origin: string): Record<string, string> {
  return Object.fromEntries(contents.map(({ name, status }) => [name.replace(origin, ''), status]));
}

/** The contents of an upload by their path on the site. */
export async function contentsByPath(
  flow: Flow,
  done: { contents: { content_id: string; name: string }[] },
  origin: string,
) {
  const contents = await Promise.all(done.contents.map(({ content_id }) => flow.content(content_id)));
  return Object.fromEntries(contents.map((content) => [content.name.replace(origin, ''), content]));
}
