import type { Context, Next } from 'koa';

/** Sets headers that forbid type sniffing, framing and caching: a response is data for one caller. Pages may override them. */
export async function setSecurityHeaders(context: Context, next: Next): Promise<void> {
  context.set({
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-store',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  });
  await next();
}
