import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../app/root-route.ts';

export const uploadRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/jobs/$uploadId',
  component: lazyRouteComponent(() => import('./upload-page.tsx'), 'UploadPage'),
});
