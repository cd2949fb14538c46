import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.ts';
import { rootRoute } from '../../app/root-route.ts';
import { askChoiceOf } from './ask-choice.ts';

export const askRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/ask',
  validateSearch: askChoiceOf,
  component: lazyPage(() => import('./ask-page.tsx'), 'AskPage'),
});
