import createClient, { defaultPathSerializer, type Client } from 'openapi-fetch';
import { LociError } from './loci-error.ts';
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
    pathSerializer: serializePath,
    fetch: createRetryingFetch(transport),
  });
}

/** With these values, the request would go to another path: deleting the memory without an id would delete all memories of the user. */
const CHANGING_THE_PATH: ReadonlySet<unknown> = new Set(['', '.', '..', null, undefined]);

/** @throws LociError `invalid_path_parameter` */
function serializePath(path: string, values: Record<string, unknown>): string {
  for (const value of Object.values(values)) {
    if (!CHANGING_THE_PATH.has(value)) continue;
    const detail = `"${String(value)}" cannot be part of the path of a request. Pass the id; nothing was sent.`;
    throw new LociError(detail, { status: null, code: 'invalid_path_parameter' });
  }
  return defaultPathSerializer(path, values);
}
