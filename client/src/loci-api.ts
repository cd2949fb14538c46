import createClient, { type Client } from 'openapi-fetch';
import type { paths } from './schema.ts';
import { createRetryingFetch, type Transport } from './transport.ts';

/** Every endpoint, typed from `openapi.json`. */
export type LociApi = Client<paths, `${string}/${string}`>;

/** Returns the endpoints, called over this transport. */
export function createLociApi(transport: Transport): LociApi {
  return createClient<paths>({
    baseUrl: transport.baseUrl,
    headers: transport.headers,
    // `fetch` would send the API key to the target of a redirect.
    redirect: 'manual',
    fetch: createRetryingFetch(transport),
  });
}
