import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.ts';
import { rootRoute } from '../../app/root-route.ts';
import { contentFilterOf } from './content-filter.ts';

export const contentsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/collections/$collectionId',
  validateSearch: contentFilterOf,
  component: lazyPage(() => import('./contents-page.tsx'), 'ContentsPage'),
});
