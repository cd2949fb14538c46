import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../app/root-route.ts';
import type { CollectionFilter } from './collection-filter.ts';

export const collectionsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/collections',
  validateSearch: ({ status, search }: Record<string, unknown>): CollectionFilter => ({
    ...(status === 'archived' || status === 'all' ? { status } : {}),
    ...(typeof search === 'string' && search !== '' ? { search } : {}),
  }),
  component: lazyRouteComponent(() => import('./collections-page.tsx'), 'CollectionsPage'),
});
