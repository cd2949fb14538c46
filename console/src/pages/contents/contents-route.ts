import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../app/root-route.ts';
import { contentFilterOf } from './content-filter.ts';

export const contentsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/collections/$collectionId',
  validateSearch: contentFilterOf,
  component: lazyRouteComponent(() => import('./contents-page.tsx'), 'ContentsPage'),
});
