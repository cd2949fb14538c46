import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../app/root-route.ts';

export const contentTextRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/collections/$collectionId/contents/$contentId',
  component: lazyRouteComponent(() => import('./content-text-page.tsx'), 'ContentTextPage'),
});
