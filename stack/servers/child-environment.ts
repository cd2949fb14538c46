/** Variables that third-party servers inherit: enough to run, no settings for other programs. */
const INHERITED_VARIABLES = [
  'PATH',
  'HOME',
  'TMPDIR',
  'LANG',
  'LD_LIBRARY_PATH',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  // How often a server written in Go collects garbage.
  'GOGC',
];

/** Returns the environment of a server process: the inherited variables and its own settings. */
export function childEnvironment(
  environment: NodeJS.ProcessEnv,
  own: Readonly<Record<string, string>>,
): Record<string, string> {
  const passed = INHERITED_VARIABLES.flatMap((name) => {
    const value = environment[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(passed), ...own };
}
