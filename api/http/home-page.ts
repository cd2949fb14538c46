import type { Context, Next } from 'koa';
import { requestState } from '#api/http/request/request-state.ts';

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

type HomePage = {
  version: string;
  /** True when there is a console to lead people to. */
  hasConsole: () => Promise<boolean>;
};

/**
 * Middleware that leads people who open `/` in a browser to the console, or if it is not built, shows what runs here and where
 * to go on. Clients that do not ask for HTML first get the answer of any other unknown path.
 */
export function createHomePage({ version, hasConsole }: HomePage) {
  const page = pageOf(version);
  return async (context: Context, next: Next): Promise<void> => {
    const isRead = context.method === 'GET' || context.method === 'HEAD';
    if (context.path !== '/' || !isRead || context.accepts('json', 'html') !== 'html') return next();
    const state = requestState(context);
    state.route = '/';
    state.isQuiet = true;
    context.set('Content-Security-Policy', CONTENT_SECURITY_POLICY);
    context.set('Cache-Control', 'no-cache');
    context.vary('Accept');
    if (await hasConsole()) return context.redirect('/console/');
    context.body = page;
    context.set('Content-Type', 'text/html; charset=utf-8');
  };
}

function pageOf(version: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Loci</title>
    <style>
      body { font: 1rem/1.6 system-ui, sans-serif; max-width: 38rem; margin: 4rem auto; padding: 0 1rem; }
      dt { font-weight: 600; margin-top: 0.75rem; }
      dd { margin: 0; }
    </style>
  </head>
  <body>
    <h1>Loci</h1>
    <p>
      This is the API of Loci ${version}, a service for knowledge, memory and conversation. It is running. Its operations are
      below <code>/api/v1</code> and take an API key as <code>X-API-Key</code>; the folder <code>.loci</code> of a server
      started with <code>npm start</code> has the first key, in <code>connection.json</code>.
    </p>
    <dl>
      <dt><a href="/docs">API reference</a></dt>
      <dd>Every operation, with examples, to try out here.</dd>
      <dt><a href="/openapi.json">OpenAPI document</a></dt>
      <dd>The same for programs and generators of clients.</dd>
      <dt><a href="/readyz">Readiness</a> and <a href="/livez">liveness</a></dt>
      <dd>Whether the service and what it depends on answer. <a href="/metrics">Metrics</a> are for Prometheus.</dd>
      <dt>Assistants</dt>
      <dd><code>/mcp</code> serves the Model Context Protocol, with an API key as bearer token.</dd>
      <dt>Guides</dt>
      <dd>
        The README and the folder <code>docs</code> of the source: <code>api.md</code> has a command for every operation,
        <code>mcp.md</code> is for assistants,
        <code>operations.md</code> is the runbook.
      </dd>
    </dl>
  </body>
</html>
`;
}
