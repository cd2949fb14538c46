import { setTimeout as delay } from 'node:timers/promises';
import { urlHash } from '#domain/crawls/crawl-url.ts';
import type { Crawl } from '#store/crawls/crawls.ts';
import type { RequestSlot } from '#store/crawls/host-rate-limit.ts';
import type { WorkerServices } from '#activities/worker-services.ts';

type Pacing = {
  services: { crawling: Pick<WorkerServices['crawling'], 'delayMs' | 'maxDelayMs'> };
  crawl: Pick<Crawl, 'delay_ms'>;
};

/** Milliseconds between two requests to the host: what its robots.txt asks for, up to a bound, and never less than configured. */
export function paceOf({ services: { crawling }, crawl }: Pacing): number {
  const { delayMs, maxDelayMs } = crawling;
  return Math.max(delayMs, Math.min(crawl.delay_ms ?? 0, maxDelayMs));
}

/** How hosts are named where turns are taken. One that is spelled as a full name (`example.org.`) is the same. */
export function hostOf(url: string): string {
  return urlHash(new URL(url).host.replace(/\.(?=$|:)/, ''));
}

/**
 * Takes the next turn at the host of a URL and waits for it; whoever has it asks at once. None is taken when it is further away
 * than `patienceMs`.
 */
export async function takeTurn(
  { services, crawl, signal }: { services: WorkerServices; crawl: Crawl; signal: AbortSignal },
  { url, patienceMs }: { url: string; patienceMs: number },
): Promise<RequestSlot> {
  const turn = await services.stores.system.takeHostTurn(hostOf(url), {
    everyMs: paceOf({ services, crawl }),
    // What others know of the host counts as long as this crawl has not read its robots.txt.
    isKnown: crawl.robots !== null && new URL(url).origin === crawl.origin,
    patienceMs,
  });
  if (turn.isMine && turn.inMs > 0) await delay(turn.inMs, undefined, { signal });
  return turn;
}
