import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.ts';
import { rootRoute } from '../../app/root-route.ts';

export const oauthClientsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/connections/clients',
  component: lazyPage(() => import('./oauth-clients-page.tsx'), 'OAuthClientsPage'),
});
