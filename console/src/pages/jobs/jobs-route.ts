import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../app/root-route.ts';
import { jobFilterOf } from './job-filter.ts';

export const jobsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/jobs',
  validateSearch: jobFilterOf,
  component: lazyRouteComponent(() => import('./jobs-page.tsx'), 'JobsPage'),
});
