import { Readable } from 'node:stream';
import { z } from 'zod';
import { finishAuthorization, type AuthorizationResult } from '#operations/connections/finish-authorization.ts';
import { Reply } from '#api/http/response/reply.ts';
import { openRoute } from '#api/http/route.ts';

/** Query parameters of the provider's redirect; some providers add their own. */
const Query = z.looseObject({
  state: z
    .string()
    .min(1)
    .max(1_000)
    .meta({ description: 'The `state` of the authorization URL.', examples: ['Z7hUxq0vYkM'] }),
  code: z
    .string()
    .max(8_192)
    .optional()
    .meta({ description: 'Authorization code of the provider, when it granted access.' }),
  error: z.string().max(1_000).optional().meta({ description: 'Error code of the provider, when it did not.' }),
});

export const authorizationCallbackRoute = openRoute(
  {
    method: 'get',
    path: '/oauth/callback',
    tag: 'OAuth',
    summary: 'Receive the redirect of a provider',
    description:
      'Providers redirect users to this endpoint. The `state` of a pending authorization is the only credential. The response is a page, or a redirect to the `redirect_url` of the authorization with `connection_id` and `status` (`connected`, or `failed` with `error`).',
    permission: null,
    carriesCredential: true,
    query: Query,
    response: z.string(),
    responseType: 'text/html',
    pageStatuses: [400],
    extension: true,
    otherStatuses: {
      303: 'To the `redirect_url` of the authorization',
      400: 'The state is unknown, already used, or expired; or the provider refused',
      409: 'The OAuth client of the connection was deleted',
      503: 'Postgres is unavailable',
    },
  },
  async ({ services, context }) => {
    // The raw query string: the library that validates the callback must see duplicate parameters.
    const result = await finishAuthorization(services, new URLSearchParams(context.querystring));
    return result.redirect_url === null ? page(result) : Reply.redirect(addResult(result.redirect_url, result));
  },
);

function addResult(redirectUrl: string, { connection_id, error }: AuthorizationResult): string {
  const url = new URL(redirectUrl);
  url.searchParams.set('connection_id', connection_id);
  url.searchParams.set('status', error === null ? 'connected' : 'failed');
  if (error !== null) url.searchParams.set('error', error);
  return url.href;
}

/** The only part that comes from outside is an error code, which consists of letters and underscores. */
function page({ error }: AuthorizationResult): Reply<never> {
  const [title, text] =
    error === null
      ? ['Connected', 'The connection is ready. You can close this page.']
      : ['Not connected', `The provider denied access (${error}). You can close this page and try again.`];
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><h1>${title}</h1><p>${text}</p></html>\n`;
  const mediaType = 'text/html; charset=utf-8';
  return Reply.stream(Readable.from([html]), { mediaType, status: error === null ? 200 : 400 });
}
