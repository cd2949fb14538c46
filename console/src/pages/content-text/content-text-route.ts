import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.ts';
import { rootRoute } from '../../app/root-route.ts';

export const contentTextRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/collections/$collectionId/contents/$contentId',
  component: lazyPage(() => import('./content-text-page.tsx'), 'ContentTextPage'),
});
