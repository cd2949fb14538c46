import { createRemoteJWKSet, errors, jwtVerify, type JWTPayload, type JWTVerifyGetKey } from 'jose';
import { AppError } from '#domain/app-error.ts';

/** Issuer, audience and keys of the users' tokens. */
export type BearerTokenSettings = {
  /** Public keys of the issuer, or the secret shared with it. */
  keys: { jwksUrl: string } | { secret: string };
  issuer: string;
  audience: string;
  /** Minimum seconds between two requests for the issuer's keys; the default suits an issuer with many clients. */
  jwksCooldownS?: number;
};

/** The claims of a verified token. */
export type BearerTokenClaims = { subject: string; claims: Readonly<Record<string, unknown>> };

export type BearerTokenVerifier = {
  /** @throws AppError `unauthorized`, or `dependency_unavailable` while the issuer's keys cannot be fetched. */
  verify(token: string): Promise<BearerTokenClaims>;
};

/** Pinned: `none` is never accepted, nor a public key used as a shared secret. */
const ASYMMETRIC = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];
const SYMMETRIC = ['HS256', 'HS384', 'HS512'];

const CLOCK_TOLERANCE_S = 5;
const JWKS_TIMEOUT_MS = 5_000;
const JWKS_COOLDOWN_S = 10;
const MAX_SUBJECT_CHARACTERS = 255;

/** Verifies JWTs of one issuer. Keys are fetched on first use, cached for ten minutes, and fetched again for an unknown `kid`. */
export function createBearerTokenVerifier(settings: BearerTokenSettings): BearerTokenVerifier {
  const isSymmetric = 'secret' in settings.keys;
  const key = 'secret' in settings.keys ? new TextEncoder().encode(settings.keys.secret) : remoteKeys(settings);
  const options = {
    issuer: settings.issuer,
    audience: settings.audience,
    algorithms: isSymmetric ? SYMMETRIC : ASYMMETRIC,
    requiredClaims: ['exp', 'sub'],
    clockTolerance: CLOCK_TOLERANCE_S,
  };
  return {
    async verify(token) {
      try {
        const { payload } = await jwtVerify(token, key, options);
        return { subject: subjectOf(payload), claims: payload };
      } catch (error) {
        throw error instanceof AppError ? error : unauthorized(error);
      }
    },
  };
}

/** True for the error of a token that the issuer signed for this audience, and whose time is over: nobody guessed it. */
export function isExpiredToken(error: unknown): boolean {
  return error instanceof AppError && error.cause instanceof errors.JWTExpired;
}

function remoteKeys({ keys, jwksCooldownS = JWKS_COOLDOWN_S }: BearerTokenSettings): JWTVerifyGetKey {
  const url = new URL('jwksUrl' in keys ? keys.jwksUrl : '');
  const find = createRemoteJWKSet(url, { timeoutDuration: JWKS_TIMEOUT_MS, cooldownDuration: jwksCooldownS * 1000 });
  return async (header, token) => {
    try {
      return await find(header, token);
    } catch (error) {
      // The token names no key of the issuer. Any other error means that the keys could not be fetched or read.
      if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys) throw error;
      throw new AppError(
        'dependency_unavailable',
        'The keys of the token issuer cannot be fetched at present, so bearer tokens cannot be verified. Try again.',
        { cause: error },
      );
    }
  };
}

function subjectOf({ sub = '' }: JWTPayload): string {
  if (sub !== '' && sub.length <= MAX_SUBJECT_CHARACTERS && !sub.includes('\0') && sub.isWellFormed()) return sub;
  throw new AppError(
    'unauthorized',
    `The bearer token must have a \`sub\` of 1 to ${MAX_SUBJECT_CHARACTERS} characters.`,
  );
}

function unauthorized(cause: unknown): AppError {
  if (cause instanceof errors.JWTExpired) {
    return new AppError('unauthorized', 'The bearer token has expired: get a new one.', { cause });
  }
  const message = 'The bearer token is not valid here: it must be signed by the configured issuer, for this audience.';
  return new AppError('unauthorized', message, { cause });
}
