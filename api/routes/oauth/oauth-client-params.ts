import { z } from 'zod';
import { ProviderName } from '#domain/records/oauth.ts';

/** Path parameters of the routes of one client. */
export const OAuthClientParams = z.object({
  provider: ProviderName.meta({ description: 'As connections name it by `integration` or `config.oauth.provider`' }),
});
