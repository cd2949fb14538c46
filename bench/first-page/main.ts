/**
 * `npm run bench:first-page [-- --samples 15]`: opens the console in a real Chromium whose cache is empty, from the address to what
 * somebody came for: the field for the API key, the contents of a collection. It is compared with a page of the same server that
 * has no scripts, and with the same page when the browser has kept the files.
 */
import { parseArgs } from 'node:util';
import type { Browser, BrowserContext } from 'playwright-core';
import { buildConsole } from '#stack/console/build-console.ts';
import { launchChromium } from '#test/support/harness/chromium.ts';
import { type BenchStack, withBenchStack } from '#bench/bench-stack.ts';
import { sampleText } from '#bench/sample-texts.ts';
import { formatVerdict, median, milliseconds, percentile } from '#bench/statistics.ts';

/** Of the median, in seconds. */
const GOAL_S = 1;
const TEXTS = 100;
const TEXT_BYTES = 700;

const { values: options } = parseArgs({ options: { samples: { type: 'string', default: '15' } } });

type Page = {
  what: string;
  url: string;
  /** What is on the page when it is of use. */
  awaited: string;
  apiKey: string | null;
};
type Load = { shownMs: number; requests: number; bytes: number; scriptMs: number };
type Loads = { cold: Load[]; warm: Load[] };

await buildConsole({ checksTypes: false });
await withBenchStack({ LOCI_EMBEDDER: 'lexical' }, async (stack) => {
  const pages = await pagesOf(stack);
  const browser = await launchChromium();
  try {
    const loads = pages.map((): Loads => ({ cold: [], warm: [] }));
    // The pages alternate, so that other load affects all of them; the first round only starts what is started once.
    for (let round = 0; round <= Number(options.samples); round += 1) {
      for (const [index, page] of pages.entries()) {
        const { cold, warm } = await openTwice(browser, page);
        if (round > 0) loads[index]?.cold.push(cold);
        if (round > 0) loads[index]?.warm.push(warm);
      }
    }
    report(pages, loads);
  } finally {
    await browser.close();
  }
});

async function pagesOf({ client, apiKey, servers }: BenchStack): Promise<Page[]> {
  const { id } = await client.createCollection('first page');
  const files = Array.from({ length: TEXTS }, (_, number) => ({
    name: `${number}.txt`,
    text: sampleText(number, TEXT_BYTES),
  }));
  await client.ingest(id, files);
  const url = `http://127.0.0.1:${servers.ports.api}`;
  return [
    { what: 'a page without scripts', url: `${url}/livez`, awaited: 'pre', apiKey: null },
    { what: 'the page to sign in', url: `${url}/console/`, awaited: 'input', apiKey: null },
    { what: `a collection of ${TEXTS}`, url: `${url}/console/collections/${id}`, awaited: 'tbody a', apiKey },
  ];
}

/** Opens a page with an empty cache, and once more in another tab with what the first one has left there. */
async function openTwice(browser: Browser, page: Page): Promise<{ cold: Load; warm: Load }> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 } });
  try {
    if (page.apiKey !== null)
      await context.addInitScript((key) => sessionStorage.setItem('loci.api-key', key), page.apiKey);
    return { cold: await openPage(context, page), warm: await openPage(context, page) };
  } finally {
    await context.close();
  }
}

async function openPage(context: BrowserContext, { url, awaited }: Page): Promise<Load> {
  const tab = await context.newPage();
  try {
    await tab.addInitScript({ content: notePainted(awaited) });
    const session = await context.newCDPSession(tab);
    let [requests, bytes] = [0, 0];
    // The page itself is told 0 bytes for every file that is compressed.
    session.on('Network.loadingFinished', ({ encodedDataLength }) => {
      requests += 1;
      bytes += encodedDataLength;
    });
    await session.send('Network.enable');
    await session.send('Performance.enable');
    await tab.goto(url);
    const shownMs = await tab.evaluate<number>('paintedAtMs');
    const { metrics } = await session.send('Performance.getMetrics');
    const scriptS = metrics.find(({ name }) => name === 'ScriptDuration')?.value ?? NaN;
    return { shownMs, requests, bytes, scriptMs: 1000 * scriptS };
  } finally {
    await tab.close();
  }
}

/** Script for the page: notes when what is awaited was painted, counted from the start of the navigation. */
function notePainted(awaited: string): string {
  return `globalThis.paintedAtMs = new Promise((resolve) => {
    const look = () => {
      // Before the second frame, the first one with it has been drawn.
      if (document.querySelector(${JSON.stringify(awaited)}) === null) requestAnimationFrame(look);
      else requestAnimationFrame(() => resolve(performance.now()));
    };
    look();
  });`;
}

function report(pages: readonly Page[], loads: readonly Loads[]): void {
  const times = (all: readonly Load[] = []) => all.map(({ shownMs }) => shownMs);
  const baselineMs = median(times(loads[0]?.cold));
  for (const [index, { what }] of pages.entries()) {
    const { cold = [], warm = [] } = loads[index] ?? {};
    console.log(`\n## ${what}, ${cold.length} times`);
    for (const [name, all] of Object.entries({ 'empty cache': cold, 'kept files': warm })) {
      const [requests, bytes] = [median(all.map((one) => one.requests)), median(all.map((one) => one.bytes))];
      const script = milliseconds(median(all.map(({ scriptMs }) => scriptMs)));
      const shown = `median ${milliseconds(median(times(all)))}, p90 ${milliseconds(percentile(times(all), 0.9))}`;
      console.log(`${name}: ${shown}; scripts ${script}; ${requests} requests, ${Math.round(bytes / 1000)} kB`);
    }
    if (index === 0) continue;
    console.log(`empty cache / kept files: ${(median(times(cold)) / median(times(warm))).toFixed(2)}`);
    console.log(`empty cache / page without scripts: ${(median(times(cold)) / baselineMs).toFixed(1)}`);
    console.log(formatVerdict('seconds with an empty cache', median(times(cold)) / 1000, { atMost: GOAL_S }));
  }
}
