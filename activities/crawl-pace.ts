import { urlHash } from '../domain/crawl-url.ts';
import type { Crawl } from '../store/crawls.ts';
import type { WorkerServices } from './worker-services.ts';

/** Milliseconds between two requests to the host: what its robots.txt asks for, up to a bound, and never less than configured. */
export function paceOf({
  services: { crawling },
  crawl,
}: {
  services: { crawling: Pick<WorkerServices['crawling'], 'delayMs' | 'maxDelayMs'> };
  crawl: Pick<Crawl, 'delay_ms'>;
}): number {
  const { delayMs, maxDelayMs } = crawling;
  return Math.max(delayMs, Math.min(crawl.delay_ms ?? 0, maxDelayMs));
}

/** How hosts are named where turns are taken. */
export function hostOf(url: string): string {
  return urlHash(new URL(url).host);
}
