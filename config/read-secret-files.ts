import { readFileSync } from 'node:fs';

/** Variables that may come as a file, for secrets of an orchestrator: `LOCI_X_FILE=/run/secrets/x` sets `LOCI_X`. */
const FILE_SUFFIX = '_FILE';

/** The settings of Loci in the environment, with the contents of the files that some of them name. Adds to `problems` what cannot be read. */
export function readSecretFiles(environment: NodeJS.ProcessEnv, problems: string[]): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (!name.startsWith('LOCI_') || value === undefined || value === '') continue;
    if (!name.endsWith(FILE_SUFFIX)) {
      values[name] = value;
      continue;
    }
    try {
      values[name.slice(0, -FILE_SUFFIX.length)] = readFileSync(value, 'utf8').trim();
    } catch {
      problems.push(`${name} names a file that cannot be read: ${value}`);
    }
  }
  return values;
}
