import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.ts';
import { rootRoute } from '../../app/root-route.ts';
import { searchChoiceOf } from './search-choice.ts';

export const searchRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/search',
  validateSearch: searchChoiceOf,
  component: lazyPage(() => import('./search-page.tsx'), 'SearchPage'),
});
