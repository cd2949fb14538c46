import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../app/root-route.ts';
import { askChoiceOf } from './ask-choice.ts';

export const askRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/ask',
  validateSearch: askChoiceOf,
  component: lazyRouteComponent(() => import('./ask-page.tsx'), 'AskPage'),
});
