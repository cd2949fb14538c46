import { readConfig } from '#config/index.ts';

/** Well-formed values of the settings that the stack generates, for the time before it has. */
const PLACEHOLDERS = {
  LOCI_DATABASE_URL: 'postgres://127.0.0.1/placeholder',
  LOCI_SECRET_KEYS: `1:${Buffer.alloc(32).toString('base64')}`,
  LOCI_API_KEY_PEPPER: 'placeholder'.repeat(5),
};

/** Reports invalid settings before anything starts. Those that the stack generates need not be set. @throws ConfigError */
export function requireValidSettings(settings: Readonly<Record<string, string | undefined>>): void {
  readConfig({ ...PLACEHOLDERS, ...settings });
}
