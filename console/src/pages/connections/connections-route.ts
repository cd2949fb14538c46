import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../app/root-route.ts';
import { connectionFilterOf } from './connection-filter.ts';

export const connectionsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/connections',
  validateSearch: connectionFilterOf,
  component: lazyRouteComponent(() => import('./connections-page.tsx'), 'ConnectionsPage'),
});
