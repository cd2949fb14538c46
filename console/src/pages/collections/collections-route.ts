import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.ts';
import { rootRoute } from '../../app/root-route.ts';
import { addressText } from '../../components/filters/address-text.ts';
import type { CollectionFilter } from './collection-filter.ts';

export const collectionsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/collections',
  validateSearch: ({ status, search }: Record<string, unknown>): CollectionFilter => ({
    ...(status === 'archived' || status === 'all' ? { status } : {}),
    search: addressText(search),
  }),
  component: lazyPage(() => import('./collections-page.tsx'), 'CollectionsPage'),
});
