import { readFileSync } from 'node:fs';
import { ConfigError } from './config-error.ts';

/** `LOCI_X_FILE=/run/secrets/x` sets `LOCI_X` to the contents of that file, for orchestrators that mount secrets as files. */
const FILE_SUFFIX = '_FILE';

/**
 * Returns the Loci settings of the environment, with the contents of the files that some of them name, and a problem for
 * each file that cannot be read and each setting that is given twice. A variable that is empty counts as not set.
 */
export function readSecretFiles(environment: NodeJS.ProcessEnv): {
  values: Record<string, string>;
  problems: string[];
} {
  const values: Record<string, string> = {};
  const problems: string[] = [];
  for (const [name, value] of Object.entries(environment)) {
    if (!name.startsWith('LOCI_') || value === undefined || value === '') continue;
    if (!name.endsWith(FILE_SUFFIX)) {
      values[name] = value;
      continue;
    }
    const setting = name.slice(0, -FILE_SUFFIX.length);
    if (environment[setting]) problems.push(`${setting} and ${name} are both set: set one of them`);
    try {
      values[setting] = readFileSync(value, 'utf8').trim();
    } catch {
      problems.push(`${name} names a file that cannot be read: ${value}`);
    }
  }
  return { values, problems };
}

/**
 * Returns an environment with the same settings, each of them as a value: for programs that read some settings themselves, or add
 * others for the processes that they start.
 * @throws ConfigError with every problem at once
 */
export function withoutSecretFiles(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { values, problems } = readSecretFiles(environment);
  if (problems.length > 0) throw new ConfigError(problems);
  const others = Object.entries(environment).filter(([name]) => !name.startsWith('LOCI_'));
  return { ...Object.fromEntries(others), ...values };
}
