import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.ts';
import { rootRoute } from '../../app/root-route.ts';
import { deliveryFilterOf } from '../webhook-log/delivery-filter.ts';

export const deliveriesRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/webhooks/deliveries',
  validateSearch: deliveryFilterOf,
  component: lazyPage(() => import('./deliveries-page.tsx'), 'DeliveriesPage'),
});
