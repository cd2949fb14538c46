import { z } from 'zod';
import { openRoute } from '#api/http/route.ts';

export const livezRoute = openRoute(
  {
    method: 'get',
    path: '/livez',
    tag: 'Process',
    summary: 'Check that the process is running',
    permission: null,
    response: z.object({ status: z.literal('ok').meta({ description: 'The process answers.' }) }),
    extension: true,
    isAtRoot: true,
  },
  async () => ({ status: 'ok' as const }),
);
