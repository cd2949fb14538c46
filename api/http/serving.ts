import type { RequestCounters } from '#domain/access/request-counter.ts';
import type { Services } from '#operations/services.ts';
import type { AccessSettings, Authenticator } from '#api/http/request/authenticate-request.ts';
import { createRequestLimiter, type RequestLimits } from '#api/http/request/request-limiter.ts';
import { PageTurns } from '#api/http/response/page-turns.ts';

export type ServingOptions = {
  services: Services;
  /** By default only API keys are accepted. */
  access?: AccessSettings;
  /** By default requests are not limited. */
  requestLimits?: RequestLimits;
  /** By default requests are counted in this process. */
  requestCounters?: RequestCounters;
};

/** What all ways into the service share, so that a caller has one limit, however it asks. */
export type Serving = Authenticator & { pages: PageTurns };

const API_KEYS_ONLY: AccessSettings = { users: null, administratorToken: null };
const NO_LIMITS: RequestLimits = { perCaller: 0, perWorkspace: 0, failuresPerAddress: 0 };

/** Returns what requests are served with. */
export function openServing({ services, access, requestLimits, requestCounters }: ServingOptions): Serving {
  return {
    services,
    access: access ?? API_KEYS_ONLY,
    limiter: createRequestLimiter(requestLimits ?? NO_LIMITS, requestCounters),
    pages: new PageTurns(),
  };
}
