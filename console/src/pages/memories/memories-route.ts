import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.ts';
import { rootRoute } from '../../app/root-route.ts';
import type { MemoryFilter } from './memory-filter.ts';

export const memoriesRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/memories',
  validateSearch: ({ user, search, asOf }: Record<string, unknown>): MemoryFilter => ({
    // The router reads a user that looks like a number as one.
    ...(typeof user === 'number' || (typeof user === 'string' && user !== '') ? { user: String(user) } : {}),
    ...(typeof search === 'number' || (typeof search === 'string' && search !== '') ? { search: String(search) } : {}),
    ...(typeof asOf === 'string' && !Number.isNaN(Date.parse(asOf)) ? { asOf } : {}),
  }),
  component: lazyPage(() => import('./memories-page.tsx'), 'MemoriesPage'),
});
