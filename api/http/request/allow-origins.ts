import cors from '@koa/cors';
import type { Middleware } from 'koa';

const EXPOSED_HEADERS =
  'X-Request-Id,X-Trace-Id,RateLimit,RateLimit-Policy,Retry-After,Preference-Applied,Loci-Indexing,Content-Disposition,WWW-Authenticate';
const ALLOWED_HEADERS =
  'Authorization,X-API-Key,X-Workspace-Id,Content-Type,Idempotency-Key,Cache-Control,Prefer,X-Request-Id,Mcp-Protocol-Version,Mcp-Method,Mcp-Name';
const METHODS = 'GET,HEAD,POST,PUT,PATCH,DELETE';
const PREFLIGHT_MAX_AGE_S = 600;

/**
 * Lets pages of these origins use the API from a browser (CORS) and answers preflight requests; `*` allows every origin.
 * The API uses no cookies, so a page can do only what the key or token that it sends allows.
 */
export function allowOrigins(origins: readonly string[]): Middleware {
  if (origins.length === 0) return (_context, next) => next();
  const isOpen = origins.includes('*');
  return cors({
    // An empty origin sets no header, so the browser refuses.
    origin: (context) => (isOpen ? '*' : (origins.find((origin) => origin === context.get('Origin')) ?? '')),
    allowMethods: METHODS,
    allowHeaders: ALLOWED_HEADERS,
    exposeHeaders: EXPOSED_HEADERS,
    maxAge: PREFLIGHT_MAX_AGE_S,
    keepHeadersOnError: false,
  });
}
