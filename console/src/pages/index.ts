import { askRoute } from './ask/ask-route.ts';
import { connectionsRoute } from './connections/connections-route.ts';
import { contentTextRoute } from './content-text/content-text-route.ts';
import { collectionsRoute } from './collections/collections-route.ts';
import { contentsRoute } from './contents/contents-route.ts';
import { conversationRoute } from './conversation/conversation-route.ts';
import { conversationsRoute } from './conversations/conversations-route.ts';
import { deliveriesRoute } from './deliveries/deliveries-route.ts';
import { healthRoute } from './health/health-route.ts';
import { jobsRoute } from './jobs/jobs-route.ts';
import { keysRoute } from './keys/keys-route.ts';
import { oauthClientsRoute } from './oauth-clients/oauth-clients-route.ts';
import { searchRoute } from './search/search-route.ts';
import { memoriesRoute } from './memories/memories-route.ts';
import { webhookLogRoute } from './webhook-log/webhook-log-route.ts';
import { webhooksRoute } from './webhooks/webhooks-route.ts';
import { uploadRoute } from './upload/upload-route.ts';
import type { Page } from './page.ts';

/**
 * Every page of the console, in the order of the navigation; the first one that a key permits is its first page. A new page needs
 * a folder beside this file and a line here.
 */
export const pages = [
  { route: collectionsRoute, needs: ['collections:read'], navigation: { label: 'Collections', icon: 'collections' } },
  { route: contentsRoute, needs: ['collections:read', 'contents:read'], navigation: null },
  { route: contentTextRoute, needs: ['contents:read'], navigation: null },
  { route: searchRoute, needs: ['collections:read'], navigation: { label: 'Search', icon: 'search' } },
  { route: askRoute, needs: ['collections:read'], navigation: { label: 'Ask', icon: 'ask' } },
  {
    route: jobsRoute,
    needs: [['uploads:read', 'deletions:read', 'compress:read']],
    navigation: { label: 'Uploads and jobs', icon: 'upload' },
  },
  { route: uploadRoute, needs: ['uploads:read'], navigation: null },
  { route: memoriesRoute, needs: ['memories:read'], navigation: { label: 'Memories', icon: 'memory' } },
  {
    route: conversationsRoute,
    needs: ['conversations:read'],
    navigation: { label: 'Conversations', icon: 'conversation' },
  },
  { route: conversationRoute, needs: ['conversations:read'], navigation: null },
  { route: connectionsRoute, needs: ['connections:read'], navigation: { label: 'Connections', icon: 'link' } },
  { route: oauthClientsRoute, needs: ['connections:read', 'workspaces:read'], navigation: null },
  { route: webhooksRoute, needs: ['webhooks:read'], navigation: { label: 'Webhooks', icon: 'webhook' } },
  { route: deliveriesRoute, needs: ['webhooks:read'], navigation: null },
  { route: webhookLogRoute, needs: ['webhooks:read'], navigation: null },
  { route: keysRoute, needs: ['api-keys:read'], navigation: { label: 'API keys', icon: 'key' } },
  { route: healthRoute, needs: [], navigation: { label: 'Health', icon: 'health' } },
] as const satisfies readonly Page[];
