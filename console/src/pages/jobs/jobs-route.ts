import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.ts';
import { rootRoute } from '../../app/root-route.ts';
import { jobFilterOf } from './job-filter.ts';

export const jobsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/jobs',
  validateSearch: jobFilterOf,
  component: lazyPage(() => import('./jobs-page.tsx'), 'JobsPage'),
});
