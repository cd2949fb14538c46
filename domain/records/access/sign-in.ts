import { z } from 'zod';
import { Id, IsoTime, textField } from '#domain/records/fields.ts';

export const SignInRequest = z
  .strictObject({
    code: textField(200, 1).meta({ description: 'Code of a sign-in link, which follows `#code=` in it.' }),
  })
  .meta({ id: 'SignInRequest' });
export type SignInRequest = z.infer<typeof SignInRequest>;

/** What a sign-in code was redeemed for. */
export const SignedIn = z
  .object({
    api_key: z.string().meta({ description: 'A new API key. Its complete text is returned only here.' }),
    workspace_id: Id.meta({ description: 'Workspace of the key.' }),
    expires_at: IsoTime.meta({ description: 'Time from which the key is no longer accepted: 12 hours later at most.' }),
  })
  .meta({ id: 'SignedIn' });
export type SignedIn = z.infer<typeof SignedIn>;

/** What signing out did. */
export const SignedOut = z
  .object({
    revoked: z.boolean().meta({
      description:
        'Whether the API key of the request was revoked. False for a key that no sign-in code was redeemed for, and for a token.',
    }),
  })
  .meta({ id: 'SignedOut' });
export type SignedOut = z.infer<typeof SignedOut>;

/** How people can sign in. */
export const SignInMethods = z
  .object({
    api_key: z.literal(true).meta({ description: 'Signing in with an API key always works.' }),
    oidc: z
      .object({
        issuer: z.string().meta({ description: 'Issuer of the tokens, whose discovery document names its endpoints.' }),
        client_id: z.string().meta({ description: 'Public client, for the authorization code flow with PKCE.' }),
        scopes: z.array(z.string()).meta({ description: 'Scopes to ask for.' }),
        parameters: z.record(z.string(), z.string()).meta({
          description:
            'Further parameters of the authorization request, such as the `resource` or `audience` of the token.',
        }),
      })
      .nullable()
      .meta({ description: 'How to get a token of a user with OpenID Connect; null where it is not configured.' }),
  })
  .meta({ id: 'SignInMethods' });
export type SignInMethods = z.infer<typeof SignInMethods>;
