import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.ts';
import { rootRoute } from '../../app/root-route.ts';

export const uploadRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/jobs/$uploadId',
  component: lazyPage(() => import('./upload-page.tsx'), 'UploadPage'),
});
