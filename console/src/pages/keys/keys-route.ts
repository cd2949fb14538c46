import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.ts';
import { rootRoute } from '../../app/root-route.ts';

/** Which keys are shown. By default those that can be used. */
export type KeyFilter = { status?: 'all' | undefined };

export const keysRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/keys',
  validateSearch: ({ status }: Record<string, unknown>): KeyFilter => (status === 'all' ? { status } : {}),
  component: lazyPage(() => import('./keys-page.tsx'), 'KeysPage'),
});
