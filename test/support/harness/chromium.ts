import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { type Browser, chromium as browsers } from 'playwright-core';

/** Makes the package unpack Chromium into the temporary folder. */
const UNPACK = `const { default: chromium } = await import('@sparticuz/chromium');
await chromium.executablePath();
console.log(JSON.stringify(chromium.args));`;
/** Value of `AWS_EXECUTION_ENV` that makes the package unpack its shared libraries too. */
const UNPACK_ALL = 'AWS_Lambda_nodejs24.x';

/**
 * Starts the Chromium of an npm package. It is unpacked once, into Loci's cache, together with the libraries that a minimal
 * Linux lacks (NSS, expat) and a font, so that nothing has to be installed.
 */
export async function launchChromium(): Promise<Browser> {
  const folder = await unpackedChromium();
  const libraries = [join(folder, 'al2023', 'lib'), process.env['LD_LIBRARY_PATH'] ?? ''].filter((path) => path !== '');
  return browsers.launch({
    executablePath: join(folder, 'chromium'),
    args: await argumentsOf(folder),
    env: {
      ...definedOf(process.env),
      LD_LIBRARY_PATH: libraries.join(':'),
      // A machine that has fonts uses its own.
      ...(existsSync('/etc/fonts/fonts.conf') ? {} : { FONTCONFIG_FILE: join(folder, 'fonts.conf') }),
    },
  });
}

/** Arguments of the package that tests leave out. */
const LEFT_OUT = new Set([
  // Meant for AWS Lambda: with it Chromium crashes when a page is closed after printing.
  '--single-process',
  // They draw by a simulated graphics card, which takes several times the processor time of drawing without one.
  '--use-gl=angle',
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
  '--ignore-gpu-blocklist',
  '--in-process-gpu',
]);

async function argumentsOf(folder: string): Promise<string[]> {
  const given = JSON.parse(await readFile(join(folder, 'arguments.json'), 'utf8')) as string[]; // written below
  return [...given.filter((argument) => !LEFT_OUT.has(argument)), '--disable-gpu'];
}

async function unpackedChromium(): Promise<string> {
  const main = createRequire(import.meta.url).resolve('@sparticuz/chromium');
  const { version } = JSON.parse(await readFile(await packageFileAbove(main), 'utf8')) as { version: string }; // every package has one
  const cacheDir = resolve(process.env['LOCI_CACHE_DIR'] ?? join(homedir(), '.cache', 'loci'));
  const folder = join(cacheDir, `chromium-${version}`);
  if (existsSync(folder)) return folder;
  await mkdir(cacheDir, { recursive: true });
  const partial = await mkdtemp(`${folder}.partial-`);
  try {
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', UNPACK], {
      cwd: import.meta.dirname,
      env: { ...process.env, TMPDIR: partial, AWS_EXECUTION_ENV: UNPACK_ALL },
    });
    await writeFile(join(partial, 'arguments.json'), stdout);
    await writeFile(join(partial, 'fonts.conf'), fontSettings(folder));
    // Another process may have unpacked it meanwhile; its folder is used then.
    await rename(partial, folder).catch((error: unknown) => {
      if (!existsSync(folder)) throw error;
    });
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
  return folder;
}

async function packageFileAbove(file: string): Promise<string> {
  let folder = dirname(file);
  const isRoot = async () =>
    (await readFile(join(folder, 'package.json'), 'utf8').catch(() => '')).includes('"version"');
  while (folder !== dirname(folder) && !(await isRoot())) folder = dirname(folder);
  return join(folder, 'package.json');
}

function fontSettings(folder: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>${join(folder, 'fonts')}</dir><cachedir>${join(folder, 'fonts-cache')}</cachedir></fontconfig>
`;
}

function definedOf(environment: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  );
}
