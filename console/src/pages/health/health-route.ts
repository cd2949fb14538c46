import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.ts';
import { rootRoute } from '../../app/root-route.ts';

export const healthRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/health',
  component: lazyPage(() => import('./health-page.tsx'), 'HealthPage'),
});
