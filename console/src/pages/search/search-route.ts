import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../app/root-route.ts';
import { searchChoiceOf } from './search-choice.ts';

export const searchRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/search',
  validateSearch: searchChoiceOf,
  component: lazyRouteComponent(() => import('./search-page.tsx'), 'SearchPage'),
});
