import { startFlow } from '#test/support/harness/flow.ts';
import { testStack } from '#test/support/harness/stack.ts';
import { openConsole } from './open-console.ts';

/** Characters that strings of shells, TypeScript and Python write differently, or that end them. */
const TITLE = `it's "A" \\ $HOME \`b\` \${c} {d} %s\u2028#獺`;
const FILTERS = [
  { field: 'title', operator: '$eq', value: TITLE },
  { field: 'year', operator: '$gte', value: '2020' },
  { field: 'draft', operator: '$eq', value: 'false' },
];

/** The only content that the search finds. */
export const FOUND_NAME = 'found.txt';

export type CopiedSearch = {
  /** What the code reads from the environment. */
  environment: { LOCI_URL: string; LOCI_API_KEY: string };
  /** The same search, of all collections and of one. */
  codes: string[];
};

/** Copies a search from the page of the console in a real Chromium, as code in this language. */
export async function copySearch(language: 'TypeScript' | 'Python'): Promise<CopiedSearch> {
  const flow = await startFlow();
  const metadata = { title: TITLE, year: 2021, draft: false };
  const upload = async (name: string, own: object) =>
    flow.upload(['file', new File([`Otters. ${TITLE}`], name)], ['metadata', JSON.stringify({ ...metadata, ...own })]);
  await upload(FOUND_NAME, {});
  await upload('draft.txt', { draft: true });
  await upload('old.txt', { year: 2019 });
  const asked = { query: `Otters ${TITLE}`, filters: JSON.stringify(FILTERS) };
  const codes: string[] = [];
  for (const where of [{}, { collections: JSON.stringify([flow.collectionId]) }]) {
    const path = `/search?${new URLSearchParams({ ...asked, ...where }).toString()}`;
    await using console = await openConsole({ apiKey: flow.key, path });
    const { page, problems } = console;
    await page.getByText(/^1 result in/).waitFor();
    await page.getByRole('button', { name: 'Copy as code' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(language, { exact: true }).click();
    codes.push(await dialog.locator('pre').innerText());
    if (problems.length > 0) throw new Error(problems.join('\n'));
  }
  return { environment: { LOCI_URL: testStack().baseUrl, LOCI_API_KEY: flow.key }, codes };
}
