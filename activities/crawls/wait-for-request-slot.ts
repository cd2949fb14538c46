import { setTimeout as delay } from 'node:timers/promises';
import { urlHash } from '#domain/crawls/crawl-url.ts';
import type { Crawl } from '#store/crawls/crawls.ts';
import type { RequestSlot } from '#store/crawls/host-rate-limit.ts';
import type { WorkerServices } from '#activities/worker-services.ts';

type Pacing = {
  services: { crawling: Pick<WorkerServices['crawling'], 'delayMs' | 'maxDelayMs'> };
  crawl: Pick<Crawl, 'delay_ms'>;
};

/**
 * Returns the milliseconds between two requests to the host: the `Crawl-delay` of its robots.txt, at most `maxDelayMs` and never
 * less than the configured delay.
 */
export function requestIntervalMs({ services: { crawling }, crawl }: Pacing): number {
  const { delayMs, maxDelayMs } = crawling;
  return Math.max(delayMs, Math.min(crawl.delay_ms ?? 0, maxDelayMs));
}

/** Returns the hash that identifies the host of a URL in the rate limit. A trailing dot (`example.org.`) makes no difference. */
export function hostHashOf(url: string): string {
  return urlHash(new URL(url).host.replace(/\.(?=$|:)/, ''));
}

type SlotContext = Pacing & {
  services: { stores: { system: Pick<WorkerServices['stores']['system'], 'reserveRequestSlot'> } };
  crawl: Pick<Crawl, 'origin' | 'robots'>;
  signal: AbortSignal;
};

/** When the next request slot is further away, work ends for now instead of blocking the worker. */
export const MAX_SLOT_WAIT_MS = 5_000;
/** For its own host, a request that follows another one waits this much longer than an interval: other crawls may have earlier slots. */
const OWN_HOST_MARGIN_MS = 60_000;
/** Requests that follow one wait no longer than this in all: a time slice, which ends after them, does not take much longer than others. */
const MAX_FOLLOW_UP_WAIT_MS = 120_000;

/** A request that follows another one has no slot soon enough: its URL is to be requested in a later time slice. */
export class PostponedRequestError extends Error {
  readonly url: string;
  readonly afterMs: number;

  constructor(url: string, afterMs: number) {
    super('The host has no request slot soon enough.');
    this.url = url;
    this.afterMs = afterMs;
  }
}

/**
 * Returns the longest wait for the slot of a request that follows another one, such as that of a redirect. The interval of its own
 * host may be one that another crawl has read; at another host this crawl comes no sooner than those of that host. `waitedMs`: what
 * requests between the two have waited.
 */
export function maxFollowUpWaitMs(
  { services, crawl: { origin } }: { services: Pacing['services']; crawl: Pick<Crawl, 'origin'> },
  url: string,
  waitedMs = 0,
): number {
  const longestInterval = requestIntervalMs({ services, crawl: { delay_ms: services.crawling.maxDelayMs } });
  const longestWaitMs = isOwnHost({ origin }, url) ? longestInterval + OWN_HOST_MARGIN_MS : MAX_SLOT_WAIT_MS;
  return Math.max(Math.min(longestWaitMs, MAX_FOLLOW_UP_WAIT_MS - waitedMs), 0);
}

/** True also for the same host by another scheme: its slots are the same. */
function isOwnHost({ origin }: Pick<Crawl, 'origin'>, url: string): boolean {
  return hostHashOf(url) === hostHashOf(origin);
}

/**
 * Reserves the next request slot of a URL's host and waits for it; the caller sends its request at once. Reserves nothing and
 * returns at once when the slot is more than `maxWaitMs` away.
 */
export async function waitForRequestSlot(
  { services, crawl, signal }: SlotContext,
  { url, maxWaitMs }: { url: string; maxWaitMs: number },
): Promise<RequestSlot> {
  const isOwn = isOwnHost(crawl, url);
  const slot = await services.stores.system.reserveRequestSlot(hostHashOf(url), {
    // The robots.txt of this host says nothing about others.
    intervalMs: requestIntervalMs({ services, crawl: isOwn ? crawl : { delay_ms: null } }),
    // Until this crawl has read the robots.txt, the longest interval that other crawls know of the host applies.
    isIntervalKnown: crawl.robots !== null && isOwn,
    maxWaitMs,
  });
  if (slot.isReserved && slot.waitMs > 0) await delay(slot.waitMs, undefined, { signal });
  return slot;
}
