import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { PROJECT_DIR } from '#stack/loci-services.ts';
import { launchChromium } from '#test/support/harness/chromium.ts';
import { escapeHtml } from './escape-html.ts';

const CLI = join(PROJECT_DIR, 'client', 'dist', 'cli', 'main.js');
/** Time between two lines of the picture. */
const SAMPLE_EVERY_MS = 5_000;
const MAX_LINES = 14;
const MAX_COLUMNS = 110;
const WIDTH = 1_040;
const LINE_HEIGHT = 22.5;

/** A folder, and where to upload it. */
type CliUpload = { folder: string; url: string; apiKey: string; collectionId: string };

/**
 * Uploads a folder with `loci upload` in a terminal (of `script`, which Linux and macOS have) and takes a picture of its progress
 * bar as it was every few seconds, and of the report at the end.
 */
export async function takeCliPicture(upload: CliUpload, path: string): Promise<void> {
  const lines = await runInTerminal(upload);
  const shown = ['$ loci upload .', ...lines].map((line) => line.slice(0, MAX_COLUMNS));
  const text = shown.map(escapeHtml).join('\n');
  const style = 'margin:0;padding:24px;background:#1e1e1e;color:#ddd;font:15px/1.5 monospace';
  const height = 48 + Math.ceil(shown.length * LINE_HEIGHT);
  const browser = await launchChromium();
  try {
    const page = await browser.newPage({ viewport: { width: WIDTH, height } });
    await page.setContent(`<body style="margin:0;background:#1e1e1e"><pre style="${style}">${text}</pre></body>`);
    await page.screenshot({ path });
  } finally {
    await browser.close();
  }
}

async function runInTerminal({ folder, url, apiKey, collectionId }: CliUpload) {
  const command = `stty cols 100; '${process.execPath}' '${CLI}' upload --collection ${collectionId} .`;
  const child = spawn('script', ['-q', '-f', '-c', command, '/dev/null'], {
    cwd: folder,
    env: { ...process.env, LOCI_URL: url, LOCI_API_KEY: apiKey },
    // An open input: `script` ends at the end of its input.
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const samples: string[] = [];
  let output = '';
  const startedMs = performance.now();
  const timer = setInterval(() => {
    const bar = lastLine(output);
    const seconds = String(Math.round((performance.now() - startedMs) / 1000)).padStart(3);
    if (bar !== '') samples.push(`${seconds} s  ${bar}`);
  }, SAMPLE_EVERY_MS);
  for await (const data of child.stdout.setEncoding('utf8')) output += String(data);
  clearInterval(timer);
  const report = plain(output.slice(Math.max(0, output.lastIndexOf('\u001B['))))
    .split('\n')
    .filter((line) => line.trim() !== '');
  return [...samples.slice(0, MAX_LINES), '', ...report.slice(0, MAX_LINES)];
}

function lastLine(output: string): string {
  return (
    plain(output)
      .split(/[\r\n]/)
      .findLast((line) => line.trim() !== '') ?? ''
  );
}

/** Removes the control sequences of the terminal. */
function plain(output: string): string {
  // eslint-disable-next-line no-control-regex
  return output.replaceAll(/\u001B(?:\[[0-9;?]*[A-Za-z]|[78])/g, '\n').replaceAll('\r', '\n');
}
