import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.ts';
import { rootRoute } from '../../app/root-route.ts';

export const contentTextRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/collections/$collectionId/contents/$contentId',
  /** `chunk`: the chunk to be led to. */
  validateSearch: ({ chunk }: Record<string, unknown>): { chunk?: string } =>
    typeof chunk === 'string' ? { chunk } : {},
  component: lazyPage(() => import('./content-text-page.tsx'), 'ContentTextPage'),
});
