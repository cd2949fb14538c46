import { AppError } from '#domain/app-error.ts';
import { ClientClosedRequest } from './http-error.ts';
import { PageSizes, type AskedPage } from './page-sizes.ts';

export type PageTurnLimits = {
  /** Pages of one workspace below 64 KiB that are read at the same time. They never wait for larger ones. */
  smallPages: number;
  /** Bytes of the larger pages of one workspace that are read and written as JSON at the same time. A larger page is alone. */
  readBytes: number;
  /** Bytes of the pages that one caller has not taken yet. */
  unsentBytes: number;
  /** Of all callers of a workspace, whose keys are made freely. */
  workspaceUnsentBytes: number;
  /** Requests of one caller for larger pages that wait. */
  waiting: number;
  maxWaitMs: number;
};

const KIB = 1024;
const MIB = 1024 * KIB;
const LIMITS: PageTurnLimits = {
  smallPages: 16,
  readBytes: 2 * MIB,
  unsentBytes: 16 * MIB,
  workspaceUnsentBytes: 128 * MIB,
  waiting: 256,
  maxWaitMs: 30_000,
};
const RETRY_AFTER_S = 5;
/** A page that took longer waited for something else. */
const MAX_PAUSE_MS = 250;
const SMALL_BYTES = 64 * KIB;
/** What a page counts as that is not known to be small, at least. */
const UNKNOWN_BYTES = 256 * KIB;
/** What a page counts as for which many more rows are read than it has. */
const SCAN_BYTES = MIB;

/**
 * `name`: of the list, the same for all of its pages. `limit`: the most rows of the page. `isScan`: how many rows are read has
 * nothing to do with it. `signal`: aborts when the client leaves; asked for when the page waits.
 */
export type PageRequest = {
  workspaceId: string;
  caller: string;
  name: string;
  limit: number;
  isScan?: boolean;
  signal: () => AbortSignal;
};

/** The turn of a page. Disposing of it ends the reading; the next page begins after a pause that is as long. */
export type PageTurn = Disposable & {
  /** The JSON has this size and is on its way. @returns what to call when the client has taken it or has left */
  written(sizeBytes: number): () => void;
};

/** What a page counts as while it is read. `isTrial`: its list is of unknown size. */
type Cost = { smallPages: number; readBytes: number; isTrial: boolean };
type TurnPage = AskedPage & { isScan: boolean };
type Waiting = { page: TurnPage; caller: string; start: (cost: Cost) => void };
/**
 * `unsent`: bytes by caller, of all of which `unsentBytes` is the sum. `isFull`: a large page waits for others to be read, and all that
 * come after it wait too.
 */
type Load = {
  smallPages: number;
  readBytes: number;
  unsent: Map<string, number>;
  unsentBytes: number;
  waiting: Waiting[];
  isFull: boolean;
};

/**
 * Bounds what the pages of one workspace take from all others: processor time of the process and of the database, and memory. How
 * large a page is, is known only once it is read, so that each counts as the largest of its list in the last minute, and while
 * none is known, a list is read by one request alone. A list that was small can have grown: small pages are bounded in number.
 */
export class PageTurns {
  readonly #limits: PageTurnLimits;
  readonly #loads = new Map<string, Load>();
  readonly #sizes = new PageSizes();
  /** Lists of unknown size that are being read. */
  readonly #tried = new Set<string>();

  constructor(limits: PageTurnLimits = LIMITS) {
    this.#limits = limits;
  }

  /**
   * Waits until the page may be read.
   * @throws AppError `rate_limited` when too many wait or it takes too long; ClientClosedRequest when the signal aborts.
   */
  async take(request: PageRequest): Promise<PageTurn> {
    const { workspaceId, caller, limit, isScan = false } = request;
    const page = { list: `${workspaceId} ${request.name}`, limit, isScan };
    const cost = await this.#wait(request, page);
    const startedAt = performance.now();
    let isReading = true;
    return {
      written: (sizeBytes) => {
        if (!isScan) this.#sizes.remember(page, sizeBytes);
        if (sizeBytes < SMALL_BYTES) return () => undefined;
        this.#addUnsent(workspaceId, caller, sizeBytes);
        return () => this.#addUnsent(workspaceId, caller, -sizeBytes);
      },
      [Symbol.dispose]: () => {
        if (!isReading) return;
        isReading = false;
        if (cost.isTrial) this.#tried.delete(page.list);
        const end = () => this.#end(workspaceId, cost);
        if (this.#isSmall(page)) end();
        else setTimeout(end, Math.min(performance.now() - startedAt, MAX_PAUSE_MS));
      },
    };
  }

  /** Returns what the page counts as. */
  async #wait({ workspaceId, caller, signal: signalOf }: PageRequest, page: TurnPage): Promise<Cost> {
    const load = this.#loadOf(workspaceId);
    if (!this.#isSmall(page) && this.#largeOf(load, caller) >= this.#limits.waiting) throw tooMany();
    const { promise, resolve, reject } = Promise.withResolvers<Cost>();
    const waiting = { page, caller, start: resolve };
    // Those that wait already gain nothing by it.
    if (this.#tryStart(load, waiting)) return promise;
    load.waiting.push(waiting);
    const signal = signalOf();
    const giveUp = (error: Error) => {
      // At once: another one that gives up in the same moment would otherwise start a request that has gone.
      load.waiting = load.waiting.filter((one) => one !== waiting);
      reject(error);
    };
    const abort = () => giveUp(new ClientClosedRequest({ cause: signal.reason }));
    const timer = setTimeout(() => giveUp(tooMany()), this.#limits.maxWaitMs);
    signal.addEventListener('abort', abort, { once: true });
    // The client may have left before.
    if (signal.aborted) abort();
    try {
      return await promise;
    } catch (error) {
      this.#dispatch(workspaceId);
      throw error;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    }
  }

  /** Starts what waits, in its order. Who does not take pages waits for itself, and holds back nobody else. */
  #dispatch(workspaceId: string): void {
    const load = this.#loadOf(workspaceId);
    load.isFull = false;
    load.waiting = load.waiting.filter((next) => !this.#tryStart(load, next));
    if (load.smallPages + load.readBytes + load.unsentBytes + load.waiting.length === 0)
      this.#loads.delete(workspaceId);
  }

  /** Starts a request if nothing holds it back, and returns whether it did. */
  #tryStart(load: Load, next: Waiting): boolean {
    const cost = this.#costOf(next.page);
    if (cost.smallPages > 0) {
      if (load.smallPages >= this.#limits.smallPages) return false;
    } else {
      if (load.isFull || (cost.isTrial && this.#tried.has(next.page.list)) || !this.#hasTaken(load, next, cost))
        return false;
      load.isFull = load.readBytes > 0 && load.readBytes + cost.readBytes > this.#limits.readBytes;
      if (load.isFull) return false;
    }
    if (cost.isTrial) this.#tried.add(next.page.list);
    load.smallPages += cost.smallPages;
    load.readBytes += cost.readBytes;
    next.start(cost);
    return true;
  }

  #costOf(page: TurnPage): Cost {
    if (page.isScan) return { smallPages: 0, readBytes: SCAN_BYTES, isTrial: false };
    const known = this.#sizes.sizeOf(page);
    if (known !== null && known < SMALL_BYTES) return { smallPages: 1, readBytes: 0, isTrial: false };
    return { smallPages: 0, readBytes: Math.max(known ?? 0, UNKNOWN_BYTES), isTrial: known === null };
  }

  #isSmall(page: TurnPage): boolean {
    return this.#costOf(page).smallPages > 0;
  }

  /** How many large pages the caller waits for. */
  #largeOf({ waiting }: Load, caller: string): number {
    return waiting.filter((one) => one.caller === caller && !this.#isSmall(one.page)).length;
  }

  /** Whether the caller, and all of its workspace, have taken enough of their pages for another one. */
  #hasTaken(load: Load, { caller }: Waiting, { readBytes }: Cost): boolean {
    const hasRoom = (bytes: number, limit: number) => bytes === 0 || bytes + readBytes <= limit;
    const { unsentBytes, workspaceUnsentBytes } = this.#limits;
    return hasRoom(load.unsentBytes, workspaceUnsentBytes) && hasRoom(load.unsent.get(caller) ?? 0, unsentBytes);
  }

  #end(workspaceId: string, cost: Cost): void {
    const load = this.#loadOf(workspaceId);
    // Small pages wait only while all of their places are taken.
    const isAwaited = cost.readBytes > 0 || load.smallPages >= this.#limits.smallPages;
    load.smallPages -= cost.smallPages;
    load.readBytes -= cost.readBytes;
    if (isAwaited || load.waiting.length === 0) this.#dispatch(workspaceId);
  }

  #addUnsent(workspaceId: string, caller: string, bytes: number): void {
    const load = this.#loadOf(workspaceId);
    const ofCaller = (load.unsent.get(caller) ?? 0) + bytes;
    if (ofCaller === 0) load.unsent.delete(caller);
    else load.unsent.set(caller, ofCaller);
    load.unsentBytes += bytes;
    // What is on its way gives room to nobody.
    if (bytes < 0) this.#dispatch(workspaceId);
  }

  #loadOf(workspaceId: string): Load {
    const known = this.#loads.get(workspaceId);
    if (known) return known;
    const load = { smallPages: 0, readBytes: 0, unsent: new Map(), unsentBytes: 0, waiting: [], isFull: false };
    this.#loads.set(workspaceId, load);
    return load;
  }
}

function tooMany(): AppError {
  const message =
    'Too many large pages of this workspace are being read at the same time: read fewer at once, with a smaller limit.';
  return new AppError('rate_limited', message, { retryAfterS: RETRY_AFTER_S });
}
