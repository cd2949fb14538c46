import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../app/root-route.ts';
import { deliveryFilterOf } from './delivery-filter.ts';

export const webhookLogRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/webhooks/$webhookId',
  validateSearch: deliveryFilterOf,
  component: lazyRouteComponent(() => import('./webhook-log-page.tsx'), 'WebhookLogPage'),
});
