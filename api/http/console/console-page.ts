import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Context, Next } from 'koa';
import { AppError } from '#domain/app-error.ts';
import { requestState } from '#api/http/request/request-state.ts';
import { readBuildState } from './build-state.ts';
import { consoleBuiltAt, readConsole, type Console, type ConsoleFile } from './read-console.ts';
import { missingConsolePage } from './missing-console-page.ts';

const ROOT = '/console';
/** Hashed names: another build has others. */
const ASSETS = 'assets/';
/** What the build leaves in the page where the nonce belongs. */
const NONCE_PLACEHOLDER = /LOCI_NONCE/g;
const NONCE_BYTES = 16;
const RETRY_AFTER_S = '3';

export type ConsolePage = {
  /** True when there is a console to lead people to. */
  isBuilt: () => Promise<boolean>;
  middleware: (context: Context, next: Next) => Promise<void>;
};

/**
 * Serves the console that was built in `dist` of this folder at `/console`, also if it is built, or built anew, later.
 * `issuer`: where users sign in; the page may ask its endpoints, and nothing else elsewhere.
 */
export function createConsolePage(consoleFolder: string, issuer: string | null): ConsolePage {
  const origins = issuer === null ? [] : [new URL(issuer).origin];
  const dist = join(consoleFolder, 'dist');
  let loaded: Promise<Console> | null = null;
  let loadedBuild: number | null = null;
  const current = async (): Promise<Console | null> => {
    const builtAt = await consoleBuiltAt(dist);
    if (builtAt === null) return null;
    if (loaded === null || loadedBuild !== builtAt) {
      loadedBuild = builtAt;
      loaded = readConsole(dist);
      loaded.catch(() => (loaded = null));
    }
    return loaded;
  };
  return {
    isBuilt: async () => (await consoleBuiltAt(dist)) !== null,
    async middleware(context, next) {
      const { path } = context;
      if (path !== ROOT && !path.startsWith(`${ROOT}/`)) {
        await next();
        return;
      }
      beginConsoleRequest(context);
      const isRead = context.method === 'GET' || context.method === 'HEAD';
      if (!isRead) refuseMethod(context);
      else if (path === ROOT) context.redirect(`${ROOT}/`);
      else await serve(context, { built: await current(), consoleFolder, origins });
    },
  };
}

type Served = { built: Console | null; consoleFolder: string; origins: readonly string[] };

async function serve(context: Context, { built, consoleFolder, origins }: Served): Promise<void> {
  if (built === null) {
    await sendMissing(context, consoleFolder);
    return;
  }
  const name = context.path.slice(ROOT.length + 1);
  const file = built.files.get(name);
  if (file !== undefined) sendFile(context, file, name.startsWith(ASSETS));
  else if (name.startsWith(ASSETS))
    throw new AppError('not_found', 'The console has no such file; it may have been built anew.');
  else sendPage(context, built.page, origins);
}

function beginConsoleRequest(context: Context): void {
  const state = requestState(context);
  state.route = ROOT;
  state.isQuiet = true;
}

function refuseMethod(context: Context): void {
  context.status = 405;
  context.set('Allow', 'HEAD, GET');
}

function sendFile(context: Context, file: ConsoleFile, isHashed: boolean): void {
  context.vary('Accept-Encoding');
  context.set('Cache-Control', isHashed ? 'public, max-age=31536000, immutable' : 'public, max-age=3600');
  const encoding = context.acceptsEncodings('br', 'gzip', 'identity');
  const encoded = encoding === 'br' ? file.br : encoding === 'gzip' ? file.gzip : null;
  if (encoded !== null) context.set('Content-Encoding', String(encoding));
  context.body = encoded ?? file.plain;
  context.set('Content-Type', file.mediaType);
}

function sendPage(context: Context, page: string, origins: readonly string[]): void {
  const nonce = randomBytes(NONCE_BYTES).toString('base64url');
  context.set('Content-Security-Policy', contentSecurityPolicy(nonce, origins));
  context.set('Cross-Origin-Opener-Policy', 'same-origin');
  context.set('Cache-Control', 'no-store');
  context.body = page.replace(NONCE_PLACEHOLDER, nonce);
  context.set('Content-Type', 'text/html; charset=utf-8');
}

/** Everything from this origin; the component library writes style elements, which carry the nonce. */
function contentSecurityPolicy(nonce: string, origins: readonly string[]): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "font-src 'self'",
    ["connect-src 'self'", ...origins].join(' '),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

async function sendMissing(context: Context, consoleFolder: string): Promise<void> {
  const state = await readBuildState(consoleFolder);
  const isBuilding = state?.status === 'building';
  context.status = isBuilding ? 503 : 404;
  if (isBuilding) context.set('Retry-After', RETRY_AFTER_S);
  context.set('Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'");
  context.body = missingConsolePage(state, RETRY_AFTER_S);
  context.set('Content-Type', 'text/html; charset=utf-8');
}
