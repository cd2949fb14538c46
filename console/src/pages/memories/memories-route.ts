import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.ts';
import { rootRoute } from '../../app/root-route.ts';
import { addressText } from '../../components/filters/address-text.ts';
import type { MemoryFilter } from './memory-filter.ts';

export const memoriesRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/memories',
  validateSearch: ({ user, search, asOf }: Record<string, unknown>): MemoryFilter => ({
    user: addressText(user),
    search: addressText(search),
    ...(typeof asOf === 'string' && !Number.isNaN(Date.parse(asOf)) ? { asOf } : {}),
  }),
  component: lazyPage(() => import('./memories-page.tsx'), 'MemoriesPage'),
});
