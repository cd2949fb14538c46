import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { readableText } from '../workflows/canaries.ts';
import type { BehindTheApi } from './behind-the-api.ts';
import type { TestStack } from './stack.ts';

/** Texts to be looked for, by what they are. */
export type Sought = Readonly<Record<string, string>>;

/** Where something was found: `api.log: token`. */
export type Finding = string;

/** The forms in which a text may stand somewhere: as it is, in hexadecimal, and in base64 at each of its three alignments. */
export function formsOf(text: string): string[] {
  const bytes = Buffer.from(text);
  const shifted = [0, 1, 2].map((offset) => {
    // Characters at both ends depend on the neighbours.
    const whole = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64url')
      .replace(/=+$/, '');
    return whole.slice(Math.ceil((offset * 8) / 6), -2);
  });
  const standard = shifted.map((form) => form.replaceAll('-', '+').replaceAll('_', '/'));
  return [...new Set([text, bytes.toString('hex'), ...shifted, ...standard])];
}

/** Which of these stand in a text, in whatever form. */
export function foundIn(text: string, sought: Sought): string[] {
  return Object.entries(sought).flatMap(([name, one]) =>
    formsOf(one).some((form) => text.includes(form)) ? [name] : [],
  );
}

/** The same for a file of any size, in one pass for all of them. */
export function foundInBytes(bytes: Buffer, sought: Sought): string[] {
  const forms = Object.entries(sought).flatMap(([name, text]) =>
    formsOf(text).map((form) => ({ name, form: Buffer.from(form) })),
  );
  const beginnings = new Uint8Array(1 << 24);
  for (const { form } of forms) beginnings[form.readUIntBE(0, 3)] = 1;
  const found = new Set<string>();
  let beginning = 0;
  for (let end = 0; end < bytes.length; end += 1) {
    beginning = ((beginning << 8) | (bytes[end] ?? 0)) & 0xffffff;
    if (beginnings[beginning] === 0) continue;
    const start = end - 2;
    for (const { name, form } of forms) {
      if (bytes.subarray(start, start + form.length).equals(form)) found.add(name);
    }
  }
  return [...found];
}

/** Looks through every column of every row of every table: bytes show as hexadecimal, JSON and arrays as text. */
export async function findInTables(behind: BehindTheApi, sought: Sought): Promise<Finding[]> {
  const tables = await behind.query<{ name: string }>(
    `select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`,
  );
  const names = Object.entries(sought).flatMap(([name, text]) => formsOf(text).map(() => name));
  const forms = Object.values(sought).flatMap(formsOf);
  const findings: Finding[] = [];
  for (const { name: table } of tables) {
    const found = await behind.query<{ name: string }>(
      `select distinct sought.name from (select unnest(:names::text[]) as name, unnest(:forms::text[]) as form) sought
       where exists (select from "${table}" x where strpos(x::text, sought.form) > 0)`,
      { names, forms },
    );
    findings.push(...found.map(({ name }) => `${table}: ${name}`));
  }
  return findings.toSorted();
}

/** Looks through the logs of every process of the stack, and through what Temporal keeps on the disk. */
export async function findInFiles(stateDir: string, sought: Sought): Promise<{ files: string[]; findings: Finding[] }> {
  const files = (
    await Promise.all(
      ['logs', 'temporal'].map(async (folder) =>
        (await readdir(join(stateDir, folder))).map((name) => join(folder, name)),
      ),
    )
  ).flat();
  const findings: Finding[] = [];
  for (const file of files) {
    const bytes = await readFile(join(stateDir, file));
    findings.push(...foundInBytes(bytes, sought).map((name) => `${file}: ${name}`));
  }
  return { files, findings };
}

/** Looks through everything that Temporal tells of the workflows of some workspaces: description, memo and history. */
export async function findInHistories(
  { temporal }: Pick<TestStack, 'temporal'>,
  workspaceIds: readonly string[],
  sought: Sought,
): Promise<{ types: string[]; findings: Finding[] }> {
  const connection = await Connection.connect({ address: temporal.address });
  try {
    const client = new Client({ connection, namespace: temporal.namespace });
    const types = new Set<string>();
    const findings: Finding[] = [];
    const query = workspaceIds.map((id) => `LociWorkspace = '${id}'`).join(' or ');
    for await (const { workflowId, runId, type } of client.workflow.list({ query })) {
      const handle = client.workflow.getHandle(workflowId, runId);
      const { raw } = await handle.describe();
      const history: unknown = JSON.parse(historyToJSON(await handle.fetchHistory()));
      const told = `${JSON.stringify(raw)}\n${readableText(history)}\n${JSON.stringify(history)}`;
      findings.push(...foundIn(told, sought).map((name) => `${type}: ${name}`));
      types.add(type);
    }
    return { types: [...types].toSorted(), findings };
  } finally {
    await connection.close();
  }
}
