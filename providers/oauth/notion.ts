import { STANDARD_PROVIDER, type OAuthProvider } from '#domain/connections/oauth-provider.ts';

/** Requires JSON and client authentication by header. Responses state no lifetime; tokens do not expire. */
export const notion: OAuthProvider = {
  ...STANDARD_PROVIDER,
  name: 'notion',
  title: 'Notion',
  authorization_endpoint: 'https://api.notion.com/v1/oauth/authorize',
  token_endpoint: 'https://api.notion.com/v1/oauth/token',
  pkce: false,
  authorization_parameters: { owner: 'user' },
  body_format: 'json',
  token_headers: { 'Notion-Version': '2022-06-28' },
  assumed_lifetime_s: null,
  kept_fields: ['workspace_id', 'workspace_name', 'bot_id'],
};
