import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.ts';
import { rootRoute } from '../../app/root-route.ts';
import { addressText } from '../../components/filters/address-text.ts';
import { isKey } from '../../components/filters/is-key.ts';
import { conversationsTexts } from '../../texts/conversations-texts.ts';
import type { ConversationFilter } from './conversation-filter.ts';

export const conversationsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/conversations',
  validateSearch: ({ user, search, status }: Record<string, unknown>): ConversationFilter => ({
    user: addressText(user),
    search: addressText(search),
    ...(isKey(conversationsTexts.status, status) ? { status } : {}),
  }),
  component: lazyPage(() => import('./conversations-page.tsx'), 'ConversationsPage'),
});
