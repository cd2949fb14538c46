import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';

/** Documents, queries and relevance judgements in BEIR's layout. */
export type BeirDataset = {
  documents: BeirDocument[];
  queries: { id: string; text: string }[];
  /** Relevance by query and document; higher is better, 0 is irrelevant. Only queries with a relevant document. */
  relevance: Map<string, Map<string, number>>;
};
export type BeirDocument = { id: string; title: string; text: string };

const Document = z.object({ _id: z.string(), title: z.string().default(''), text: z.string().default('') });
const Query = z.object({ _id: z.string(), text: z.string() });

/** Reads `corpus.jsonl`, `queries.jsonl` and `qrels/test.tsv` of a folder. */
export async function readBeirDataset(folder: string): Promise<BeirDataset> {
  const documents = await readLines(join(folder, 'corpus.jsonl'), Document);
  const queries = await readLines(join(folder, 'queries.jsonl'), Query);
  const relevance = await readRelevance(join(folder, 'qrels', 'test.tsv'));
  return {
    documents: documents.map(({ _id, title, text }) => ({ id: _id, title, text })),
    queries: queries.filter(({ _id }) => relevance.has(_id)).map(({ _id, text }) => ({ id: _id, text })),
    relevance,
  };
}

/** Returns the searchable text of a document: its title, if any, above its text. Some documents are empty. */
export function documentText({ title, text }: BeirDocument): string {
  return title === '' ? text : `${title}\n\n${text}`;
}

async function readLines<T>(path: string, schema: z.ZodType<T>): Promise<T[]> {
  const rows: T[] = [];
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
    if (line.trim() !== '') rows.push(schema.parse(JSON.parse(line)));
  }
  return rows;
}

async function readRelevance(path: string): Promise<BeirDataset['relevance']> {
  const relevance: BeirDataset['relevance'] = new Map();
  const [, ...lines] = (await readFile(path, 'utf8')).split(/\r?\n/);
  for (const line of lines) {
    const [query = '', document = '', score = '0'] = line.split('\t');
    if (!(Number(score) > 0)) continue;
    const ofQuery = relevance.get(query) ?? new Map<string, number>();
    relevance.set(query, ofQuery.set(document, Number(score)));
  }
  return relevance;
}
