/** Settings that say who may ask, as the environment has them. */
type AccessSettings = {
  LOCI_CORS_ORIGINS: readonly string[];
  LOCI_OAUTH_REDIRECTS: readonly string[];
  LOCI_JWT_JWKS_URL?: string | undefined;
  LOCI_JWT_SECRET?: string | undefined;
  LOCI_JWT_ISSUER?: string | undefined;
  LOCI_JWT_AUDIENCE?: string | undefined;
};

/** What is wrong with them, taken together. */
export function accessProblems(env: AccessSettings): string[] {
  const problems = env.LOCI_CORS_ORIGINS.filter((origin) => !isOrigin(origin)).map(
    (origin) => `LOCI_CORS_ORIGINS: '${origin}' is no origin such as https://app.example.com, or *`,
  );
  problems.push(
    ...env.LOCI_OAUTH_REDIRECTS.filter((url) => !isPlainUrl(url)).map(
      (url) => `LOCI_OAUTH_REDIRECTS: '${url}' is no URL such as https://app.example.com/connected`,
    ),
  );
  const sources = [env.LOCI_JWT_JWKS_URL, env.LOCI_JWT_SECRET].filter((source) => source !== undefined);
  if (sources.length === 2) problems.push('LOCI_JWT_JWKS_URL and LOCI_JWT_SECRET exclude each other: set one');
  const isAsked = sources.length > 0 || env.LOCI_JWT_ISSUER !== undefined || env.LOCI_JWT_AUDIENCE !== undefined;
  if (!isAsked) return problems;
  if (sources.length === 0) problems.push('LOCI_JWT_JWKS_URL or LOCI_JWT_SECRET is required for bearer tokens');
  if (!env.LOCI_JWT_ISSUER) problems.push('LOCI_JWT_ISSUER is required for bearer tokens');
  if (!env.LOCI_JWT_AUDIENCE) problems.push('LOCI_JWT_AUDIENCE is required for bearer tokens');
  return problems;
}

/** `https://app.example.com`, or `*` for all. */
function isOrigin(text: string): boolean {
  return text === '*' || (URL.canParse(text) && new URL(text).origin === text);
}

/** With a path at most. */
function isPlainUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.search === '' && url.hash === '';
}
