import { errorFromResponse } from './loci-error.ts';

/** Result of a call of `loci.api`. */
export type ApiResult<Data> = { data?: Data; error?: unknown; response: Response };

/**
 * Returns the data of a response, typed by the call: `await dataOf(loci.api.GET('/api/v1/collections'))`.
 * @throws LociError if the response is an error
 */
export async function dataOf<Data>(answered: Promise<ApiResult<Data>>): Promise<Exclude<Data, undefined>> {
  const { data, error, response } = await answered;
  if (!response.ok) throw errorFromResponse(response, error);
  // Only responses without a body have no data, and their type says so.
  return data as Exclude<Data, undefined>;
}
