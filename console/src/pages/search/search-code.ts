import type { SearchRequest } from './search-request.ts';

export const CODE_LANGUAGES = ['curl', 'typescript', 'python'] as const;
export type CodeLanguage = (typeof CODE_LANGUAGES)[number];

const PATH = '/api/v1/collections/search';
const INDENT = 2;
/** Continues a command of a shell. */
const NEXT_LINE = ' \\\n';

/** Returns the search as a program that needs nothing but the environment's `LOCI_API_KEY`, and for the clients `LOCI_URL`. */
export function searchCode(request: SearchRequest, language: CodeLanguage, baseUrl: string): string {
  if (language === 'curl') return curlOf(request, baseUrl);
  return language === 'typescript' ? typeScriptOf(request) : pythonOf(request);
}

function curlOf(request: SearchRequest, baseUrl: string): string {
  const body = JSON.stringify(request, null, INDENT).replaceAll("'", String.raw`'\''`);
  return [
    `curl -sS -H "X-API-Key: $LOCI_API_KEY" -H 'Content-Type: application/json'`,
    `  ${baseUrl}${PATH}`,
    `  -d '${body}'`,
  ].join(NEXT_LINE);
}

function typeScriptOf(request: SearchRequest): string {
  const body = indented(JSON.stringify(request, null, INDENT), '    ');
  return [
    "import { createLociClient, dataOf } from '@loci/client';",
    '',
    'const loci = createLociClient(); // LOCI_URL and LOCI_API_KEY',
    'const { results } = await dataOf(',
    `  loci.api.POST('${PATH}', {`,
    `    body: ${body},`,
    '  }),',
    ');',
    'for (const { score, source, content } of results) console.log(score, source, content);',
  ].join('\n');
}

function pythonOf({ query, collection_id: collection, ...options }: SearchRequest): string {
  const names = Object.entries(options).map(([name, value]) => `    ${name}=${indented(python(value), '    ')},`);
  return [
    'from loci_client import Loci',
    '',
    'loci = Loci.from_env()  # LOCI_URL and LOCI_API_KEY',
    'found = loci.search(',
    `    ${python(query)},`,
    ...(collection === undefined ? [] : [`    ${python(collection)},`]),
    ...names,
    ')',
    'for result in found.results:',
    '    print(result.score, result.source, result.content)',
  ].join('\n');
}

/** Literals of Python are those of JSON but for three words. */
function python(value: unknown): string {
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (value === null) return 'None';
  if (Array.isArray(value)) return `[${value.map(python).join(', ')}]`;
  if (typeof value !== 'object') return JSON.stringify(value);
  const entries = Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}: ${python(one)}`);
  return `{${entries.join(', ')}}`;
}

function indented(text: string, by: string): string {
  return text.replaceAll('\n', `\n${by}`);
}
