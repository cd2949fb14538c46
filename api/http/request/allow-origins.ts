import cors from '@koa/cors';
import type { Middleware } from 'koa';

const EXPOSED =
  'X-Request-Id,RateLimit,RateLimit-Policy,Retry-After,Preference-Applied,Loci-Indexing,Content-Disposition';
const ALLOWED = 'Authorization,X-API-Key,X-Workspace-Id,Content-Type,Idempotency-Key,Prefer,X-Request-Id';
const METHODS = 'GET,HEAD,POST,PUT,PATCH,DELETE';
const PREFLIGHT_KEPT_S = 600;

/**
 * Lets pages of these origins use the API from a browser, `*` those of all, and answers the browser's question beforehand.
 * There are no cookies, so a page can do only what its own key or token can.
 */
export function allowOrigins(origins: readonly string[]): Middleware {
  if (origins.length === 0) return (_context, next) => next();
  const isOpen = origins.includes('*');
  return cors({
    // An empty origin sets no header at all: the browser refuses.
    origin: (context) => (isOpen ? '*' : (origins.find((origin) => origin === context.get('Origin')) ?? '')),
    allowMethods: METHODS,
    allowHeaders: ALLOWED,
    exposeHeaders: EXPOSED,
    maxAge: PREFLIGHT_KEPT_S,
    keepHeadersOnError: false,
  });
}
