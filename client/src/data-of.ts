import { errorOfAnswer } from './loci-error.ts';

/** What the calls of `loci.api` come back with. */
export type Answered<Data> = { data?: Data; error?: unknown; response: Response };

/**
 * The data of an answer, whose type is that of the call: `await dataOf(loci.api.GET('/api/v1/collections'))`.
 * @throws LociError for an answer that is an error
 */
export async function dataOf<Data>(answered: Promise<Answered<Data>>): Promise<Exclude<Data, undefined>> {
  const { data, error, response } = await answered;
  if (!response.ok) throw errorOfAnswer(response, error);
  // Only answers without a body have no data, and their type is that there is none.
  return data as Exclude<Data, undefined>;
}
