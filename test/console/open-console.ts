import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { buildConsole } from '#stack/console/build-console.ts';
import { PROJECT_DIR } from '#stack/loci-services.ts';
import { launchChromium } from '#test/support/harness/chromium.ts';
import { testStack } from '#test/support/harness/stack.ts';

const AXE = join(PROJECT_DIR, 'console', 'node_modules', 'axe-core', 'axe.min.js');
/** Chromium reports every answer with an error status as an error. */
const ANSWERED_WITH_ERROR = /^Failed to load resource: the server responded with a status of 4/;

export type ConsoleBrowser = AsyncDisposable & {
  page: Page;
  /** What went wrong so far: errors of scripts, refusals of the policy, requests to other origins. */
  problems: string[];
};

export type ConsoleOptions = {
  /** The key that the tab has; without one, it shows the page to sign in. */
  apiKey?: string;
  /** The first page, below `/console`. */
  path?: string;
  /** The API that serves it, by default that of the stack. */
  baseUrl?: string;
  browser?: BrowserContextOptions;
  /** The only other origins that may be asked. */
  otherOrigins?: readonly string[];
};

/** Opens the console of the running stack, built from the present sources, in a real Chromium. */
export async function openConsole(consoleOptions: ConsoleOptions): Promise<ConsoleBrowser> {
  const { apiKey, path = '/', baseUrl = testStack().baseUrl, browser: options, otherOrigins = [] } = consoleOptions;
  await buildConsole({ checksTypes: false });
  const browser: Browser = await launchChromium();
  // A dialog that is still fading in has too little contrast, and its buttons move.
  const page = await browser.newPage({ reducedMotion: 'reduce', ...options });
  const problems: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' && !ANSWERED_WITH_ERROR.test(message.text())) problems.push(message.text());
  });
  page.on('pageerror', (error) => void problems.push(error.message));
  page.on('dialog', (dialog) => {
    problems.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url());
    const isOwn = protocol === 'data:' || protocol === 'blob:' || origin === baseUrl;
    if (!isOwn && !otherOrigins.includes(origin)) problems.push(`requested ${request.url()}`);
  });
  if (apiKey !== undefined) await page.addInitScript((key) => sessionStorage.setItem('loci.api-key', key), apiKey);
  await page.goto(`${baseUrl}/console${path}`);
  return { page, problems, [Symbol.asyncDispose]: async () => browser.close() };
}

/** Returns what axe finds wrong with the page as it is shown (WCAG 2.2 A and AA, and best practices), as `rule: elements`. */
export async function axeViolations(page: Page): Promise<string[]> {
  await page.evaluate(await readFile(AXE, 'utf8'));
  return page.evaluate(async () => {
    type Violation = { id: string; nodes: { html: string }[] };
    type Axe = { run: (options: object) => Promise<{ violations: Violation[] }> };
    const { axe } = globalThis as unknown as { axe: Axe }; // injected above
    const { violations } = await axe.run({ rules: { 'target-size': { enabled: true } } });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' ')}`);
  });
}

/** What can be hit. Choices of a row are hit by their labels, and fields by the frame around them. */
const TARGETS = 'button, [role="button"], [role="radiogroup"] label, input, select, textarea';
const FRAMES = '.mantine-MultiSelect-input';

/**
 * Returns the visible buttons and fields that are less than 24 × 24 px, as `name: size` (WCAG 2.2, 2.5.8, without its exception for
 * those that stand far from others).
 */
export async function smallTargets(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`[...document.querySelectorAll('${TARGETS}')]
    .filter((element) => element.checkVisibility({ opacityProperty: true }))
    .map((element) => {
      const framed = element.matches('input') ? (element.closest('${FRAMES}') ?? element) : element;
      const { width, height } = framed.getBoundingClientRect();
      const name = element.getAttribute('aria-label') ?? element.textContent;
      return { width, height, said: name + ': ' + Math.round(width) + ' × ' + Math.round(height) };
    })
    .filter(({ width, height }) => width > 1 && (width < 24 || height < 24))
    .map(({ said }) => said)`);
}

/** Returns by how many pixels the page is wider than its window. */
export async function widthBeyondWindow(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}
