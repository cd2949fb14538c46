import type { Page } from 'playwright-core';

/** Chooses files for the collection that the page shows, each a text with its own name, or of that many bytes. */
export async function chooseFiles(page: Page, names: readonly string[], sizeBytes?: number): Promise<void> {
  const files = names.map((name) => ({
    name,
    mimeType: 'text/plain',
    buffer: sizeBytes === undefined ? Buffer.from(name) : Buffer.alloc(sizeBytes, `${name} `),
  }));
  await page.getByLabel('Files …', { exact: true }).setInputFiles(files);
}

/** Names of as many different files. */
export function fileNames(what: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${what}-${index}.txt`);
}
