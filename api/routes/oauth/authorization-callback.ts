import { Readable } from 'node:stream';
import { z } from 'zod';
import { finishAuthorization, type AuthorizationResult } from '#operations/connections/finish-authorization.ts';
import { Reply } from '#api/http/response/reply.ts';
import { openRoute } from '#api/http/route.ts';

/** What providers send the user back with; some add words of their own. */
const Query = z.looseObject({
  state: z.string().min(1).max(1_000).meta({ description: 'As it was in the URL' }),
  code: z.string().max(8_192).optional(),
  error: z.string().max(1_000).optional(),
});

export const authorizationCallbackRoute = openRoute(
  {
    method: 'get',
    path: '/oauth/callback',
    tag: 'OAuth',
    summary: 'Take a user back from a provider',
    description:
      'Where providers send users back to, with the state of an authorization under way as the only credential. The answer is a page, or a redirect to the `redirect_url` of the authorization with `connection_id` and `status` (`connected` or `failed`, then with `error`).',
    permission: null,
    query: Query,
    response: z.string(),
    responseType: 'text/html',
    extension: true,
    otherStatuses: {
      303: 'To the `redirect_url` of the authorization',
      400: 'The state is not known, was used, or is too old; or the provider refused',
      409: 'The client of the connection is gone',
      503: 'Postgres is away',
    },
  },
  async ({ services, context }) => {
    // All of them, as they came: the library that checks them wants to see doubles.
    const end = await finishAuthorization(services, new URLSearchParams(context.querystring));
    return end.redirect_url === null ? page(end) : Reply.redirect(withOutcome(end.redirect_url, end));
  },
);

function withOutcome(redirectUrl: string, { connection_id, error }: AuthorizationResult): string {
  const url = new URL(redirectUrl);
  url.searchParams.set('connection_id', connection_id);
  url.searchParams.set('status', error === null ? 'connected' : 'failed');
  if (error !== null) url.searchParams.set('error', error);
  return url.href;
}

/** Nothing in it comes from outside but a code of letters. */
function page({ error }: AuthorizationResult): Reply<never> {
  const [title, text] =
    error === null
      ? ['Connected', 'The connection is ready. You can close this page.']
      : ['Not connected', `The provider gave no access (${error}). You can close this page and try again.`];
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><h1>${title}</h1><p>${text}</p></html>\n`;
  const mediaType = 'text/html; charset=utf-8';
  return Reply.stream(Readable.from([html]), { mediaType, status: error === null ? 200 : 400 });
}
