import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.ts';
import { rootRoute } from '../../app/root-route.ts';
import { connectionFilterOf } from './connection-filter.ts';

export const connectionsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/connections',
  validateSearch: connectionFilterOf,
  component: lazyPage(() => import('./connections-page.tsx'), 'ConnectionsPage'),
});
