import type { Environment } from './environment.ts';

/** Returns what is wrong with the settings of bearer tokens, CORS and OAuth redirects. */
export function accessRuleProblems(env: Environment): string[] {
  const problems = env.LOCI_CORS_ORIGINS.filter((origin) => !isOrigin(origin)).map(
    (origin) => `LOCI_CORS_ORIGINS: '${origin}' is not an origin such as https://app.example.com, or *`,
  );
  problems.push(
    ...env.LOCI_OAUTH_REDIRECTS.filter((url) => !isPlainUrl(url)).map(
      (url) => `LOCI_OAUTH_REDIRECTS: '${url}' is not a URL such as https://app.example.com/connected`,
    ),
  );
  problems.push(
    ...env.LOCI_MCP_HOSTS.filter((name) => !isHostName(name)).map(
      (name) => `LOCI_MCP_HOSTS: '${name}' is not a host name such as loci.example.com, without a port, or *`,
    ),
  );
  if (env.LOCI_CONSOLE_OIDC_CLIENT_ID !== undefined && mcpSettings(env).issuer === null)
    problems.push('LOCI_CONSOLE_OIDC_CLIENT_ID needs bearer tokens, and a LOCI_JWT_ISSUER that is a URL');
  const sources = [env.LOCI_JWT_JWKS_URL, env.LOCI_JWT_SECRET].filter((source) => source !== undefined);
  if (sources.length === 2) problems.push('LOCI_JWT_JWKS_URL and LOCI_JWT_SECRET exclude each other: set one');
  const isRequested = sources.length > 0 || env.LOCI_JWT_ISSUER !== undefined || env.LOCI_JWT_AUDIENCE !== undefined;
  if (!isRequested) return problems;
  if (sources.length === 0) problems.push('LOCI_JWT_JWKS_URL or LOCI_JWT_SECRET is required for bearer tokens');
  if (!env.LOCI_JWT_ISSUER) problems.push('LOCI_JWT_ISSUER is required for bearer tokens');
  if (!env.LOCI_JWT_AUDIENCE) problems.push('LOCI_JWT_AUDIENCE is required for bearer tokens');
  return problems;
}

/** How `/mcp` is reached: the names of hosts that it answers to, and who issues the tokens of users. */
export function mcpSettings(env: Environment) {
  const { LOCI_PUBLIC_URL: publicUrl, LOCI_JWT_ISSUER: issuer } = env;
  const own = publicUrl === undefined ? [] : [new URL(publicUrl).hostname];
  return {
    hosts: [...own, ...env.LOCI_MCP_HOSTS],
    scopes: env.LOCI_MCP_SCOPES,
    publicUrl: publicUrl ?? null,
    /** An issuer that is no URL serves no metadata that a client could read. */
    issuer: issuer !== undefined && /^https?:/.test(issuer) && tokenSettings(env) !== null ? issuer : null,
  };
}

/** The public client with which browsers get tokens from the issuer; null where they sign in by other means only. */
export function consoleSignIn(env: Environment) {
  const { issuer } = mcpSettings(env);
  const { LOCI_CONSOLE_OIDC_CLIENT_ID: clientId, LOCI_CONSOLE_OIDC_SCOPES: scopes } = env;
  const parameters = Object.fromEntries(new URLSearchParams(env.LOCI_CONSOLE_OIDC_PARAMETERS));
  return clientId === undefined || issuer === null ? null : { issuer, client_id: clientId, scopes, parameters };
}

/** Returns the settings that verify bearer tokens of users; null when they are not configured. */
export function tokenSettings(env: Environment) {
  const { LOCI_JWT_JWKS_URL: jwksUrl, LOCI_JWT_SECRET: secret } = env;
  const { LOCI_JWT_ISSUER: issuer, LOCI_JWT_AUDIENCE: audience } = env;
  const keys = jwksUrl === undefined ? secret && { secret } : { jwksUrl };
  return keys && issuer && audience ? { keys, issuer, audience } : null;
}

/** True for an origin, such as `https://app.example.com`, and for `*`. */
function isOrigin(text: string): boolean {
  return text === '*' || (URL.canParse(text) && new URL(text).origin === text);
}

function isHostName(text: string): boolean {
  return text === '*' || URL.parse(`http://${text}`)?.hostname === text;
}

/** An http or https URL without user name, query and fragment. */
function isPlainUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.search === '' && url.hash === '';
}
