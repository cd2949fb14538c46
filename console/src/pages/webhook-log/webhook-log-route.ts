import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.ts';
import { rootRoute } from '../../app/root-route.ts';
import { deliveryFilterOf } from './delivery-filter.ts';

export const webhookLogRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/webhooks/$webhookId',
  validateSearch: deliveryFilterOf,
  component: lazyPage(() => import('./webhook-log-page.tsx'), 'WebhookLogPage'),
});
