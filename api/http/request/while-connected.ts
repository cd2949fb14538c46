import type { Context } from 'koa';
import { ClientClosedRequest } from '#api/http/response/http-error.ts';
import { abortOnClose } from './abort-on-close.ts';

/**
 * Runs work with a signal that is aborted when the client leaves.
 * @throws what the work throws; ClientClosedRequest when the client has left.
 */
export async function whileConnected<Result>(
  context: Context,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const gone = abortOnClose(context);
  try {
    return await work(gone);
  } catch (error) {
    if (gone.aborted) throw new ClientClosedRequest({ cause: error });
    throw error;
  }
}
