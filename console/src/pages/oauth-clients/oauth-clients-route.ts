import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../app/root-route.ts';

export const oauthClientsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/connections/clients',
  component: lazyRouteComponent(() => import('./oauth-clients-page.tsx'), 'OAuthClientsPage'),
});
