import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Context, Next } from 'koa';
import { requestState } from '#api/http/request/request-state.ts';

/** The page loads everything from this server, so nothing else is allowed. Swagger UI sets inline styles. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const ASSETS: Readonly<Record<string, { file: string; mediaType: string }>> = {
  '/docs/swagger-ui.css': { file: 'swagger-ui.css', mediaType: 'text/css; charset=utf-8' },
  '/docs/swagger-ui-bundle.js': { file: 'swagger-ui-bundle.js', mediaType: 'text/javascript; charset=utf-8' },
  '/docs/favicon.png': { file: 'favicon-32x32.png', mediaType: 'image/png' },
};

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Loci API</title>
    <link rel="icon" href="/docs/favicon.png" />
    <link rel="stylesheet" href="/docs/swagger-ui.css" />
  </head>
  <body>
    <div id="docs"></div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`;

/** Swagger UI fills each field of a form with a made-up value and sends it; optional fields are to start empty instead. */
const START = `const OptionalFieldsStartEmpty = () => ({
  afterLoad() {
    const sample = this.fn.getSampleSchema;
    this.fn.getSampleSchema = (schema, ...rest) => {
      const field = schema?.toJS?.() ?? schema;
      if (field?.['x-loci-starts-empty'] !== true) return sample(schema, ...rest);
      return field.type === 'array' ? [] : '';
    };
  },
});

SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#docs',
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  persistAuthorization: false,
  validatorUrl: null,
  plugins: [OptionalFieldsStartEmpty],
});
`;

/**
 * Middleware that serves `/openapi.json` and, at `/docs`, Swagger UI, with all assets from this server. The document is created when
 * it is first asked for: describing all routes takes a tenth of the processor time of a start.
 */
export function createDocsPage(createDocument: () => object) {
  let openApi: string | null = null;
  const pages: Readonly<Record<string, { body: () => string; mediaType: string }>> = {
    '/openapi.json': {
      body: () => (openApi ??= JSON.stringify(createDocument())),
      mediaType: 'application/json; charset=utf-8',
    },
    '/docs': { body: () => PAGE, mediaType: 'text/html; charset=utf-8' },
    '/docs/start.js': { body: () => START, mediaType: 'text/javascript; charset=utf-8' },
  };
  return async (context: Context, next: Next): Promise<void> => {
    const path = context.path === '/docs/' ? '/docs' : context.path;
    const page = pages[path];
    const asset = ASSETS[path];
    if (page === undefined && asset === undefined) return next();
    const state = requestState(context);
    state.route = path;
    state.isQuiet = true;
    if (context.method !== 'GET' && context.method !== 'HEAD') {
      context.status = 405;
      context.set('Allow', 'HEAD, GET');
      return;
    }
    context.set('Content-Security-Policy', CONTENT_SECURITY_POLICY);
    context.set('Cache-Control', asset === undefined ? 'no-cache' : 'public, max-age=86400');
    context.body = page?.body() ?? (await readAsset(asset?.file ?? ''));
    context.set('Content-Type', page?.mediaType ?? asset?.mediaType ?? '');
  };
}

async function readAsset(file: string): Promise<Buffer> {
  return readFile(fileURLToPath(import.meta.resolve(`swagger-ui-dist/${file}`)));
}
