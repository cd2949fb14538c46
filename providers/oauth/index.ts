import type { OAuthProvider } from '#domain/connections/oauth-provider.ts';
import { atlassian } from './atlassian.ts';
import { dropbox } from './dropbox.ts';
import { github } from './github.ts';
import { gitlab } from './gitlab.ts';
import { google } from './google.ts';
import { hubspot } from './hubspot.ts';
import { microsoft } from './microsoft.ts';
import { notion } from './notion.ts';
import { salesforce } from './salesforce.ts';
import { slack } from './slack.ts';

export { createTokenRequester } from './token-requester.ts';

/** The built-in providers. Any other provider is treated as standard OAuth, with the endpoints that its client or connection sets. */
export const OAUTH_PROVIDERS: readonly OAuthProvider[] = [
  atlassian,
  dropbox,
  github,
  gitlab,
  google,
  hubspot,
  microsoft,
  notion,
  salesforce,
  slack,
];
