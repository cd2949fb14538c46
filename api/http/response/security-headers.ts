import type { Context, Next } from 'koa';

/** Answers are data for one caller: not to be guessed at, framed or kept by anyone between. Pages may set their own. */
export async function secureHeaders(context: Context, next: Next): Promise<void> {
  context.set({
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-store',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  });
  await next();
}
