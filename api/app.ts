import Koa from 'koa';
import type { Services } from '#operations/services.ts';
import { allowOrigins } from '#api/http/request/allow-origins.ts';
import { createConsolePage } from '#api/http/console/console-page.ts';
import { createHomePage } from '#api/http/home-page.ts';
import { createDocsPage } from '#api/http/openapi/docs-page.ts';
import { announceStop, type Stopping } from '#api/http/response/announce-stop.ts';
import { answerErrors } from '#api/http/response/answer-errors.ts';
import { mountRoutes } from '#api/http/mount.ts';
import { createOpenApi } from '#api/http/openapi/openapi.ts';
import { findClientAddress } from '#api/http/request/client-address.ts';
import { drainRequestBody } from '#api/http/request/request-body.ts';
import { assignRequestId } from '#api/http/request/request-id.ts';
import { logRequests } from '#api/http/request/log-requests.ts';
import type { Route } from '#api/http/route.ts';
import { openServing, type ServingOptions } from '#api/http/serving.ts';
import { setSecurityHeaders } from '#api/http/response/security-headers.ts';
import { createMcpEndpoint, type McpSettings } from '#api/mcp/mcp-endpoint.ts';
import { routes as allRoutes } from '#api/routes/index.ts';

export type AppOptions = Omit<ServingOptions, 'services'> & {
  version: string;
  /** Origins whose pages may use the API from a browser; none by default. */
  corsOrigins?: readonly string[];
  /** Addresses and ranges of proxies whose `X-Forwarded-For` names the client; none by default. */
  trustedProxies?: readonly string[];
  /** How `/mcp` is reached. */
  mcp?: Omit<McpSettings, 'origins'>;
  /** The folder in which the console is built; none is served without. */
  consoleFolder?: string;
  routes?: Readonly<Record<string, Route>>;
  /** Set to stopping when the process is told to stop. */
  stopping?: Stopping;
};

const LOCAL_MCP = { hosts: [], publicUrl: null, issuer: null };

/** Creates the API as a Koa application. Every request passes the middleware from top to bottom. */
export function createApp(services: Services, options: AppOptions): Koa {
  const routes = options.routes ?? allRoutes;
  const serving = openServing({ ...options, services });
  const router = mountRoutes(Object.values(routes), serving);
  const { version, corsOrigins = [], mcp = LOCAL_MCP } = options;
  const issuer = services.issuerSignIn?.issuer ?? null;
  const webConsole = options.consoleFolder === undefined ? null : createConsolePage(options.consoleFolder, issuer);
  const app = new Koa();
  app.use(assignRequestId);
  app.use(findClientAddress(options.trustedProxies ?? []));
  app.use(logRequests(services.log, services.metrics));
  app.use(setSecurityHeaders);
  app.use(allowOrigins(corsOrigins));
  app.use(announceStop(options.stopping ?? { isStopping: false }));
  app.use(drainRequestBody);
  app.use(answerErrors(services.log));
  app.use(createMcpEndpoint({ serving, version, settings: { ...mcp, origins: corsOrigins } }));
  app.use(createHomePage({ version, hasConsole: async () => (await webConsole?.isBuilt()) ?? false }));
  if (webConsole !== null) app.use(webConsole.middleware);
  app.use(createDocsPage(() => createOpenApi(routes, { version, limits: services.limits })));
  app.use(router.routes());
  app.use(router.allowedMethods());
  app.on('error', (error: unknown) => services.log.warn({ error }, 'a response was cut off'));
  return app;
}
