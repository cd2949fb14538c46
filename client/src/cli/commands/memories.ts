import { pipeline } from 'node:stream/promises';
import { type Command, Option } from '@commander-js/extra-typings';
import { dataOf } from '../../data-of.ts';
import type { components } from '../../schema.ts';
import { confirm, YES_OPTION } from '../confirm.ts';
import { omitUndefined } from '../omit-undefined.ts';
import { fetchList, LIMIT_OPTION } from '../fetch-list.ts';
import { parseInteger, parseJsonObject, collectRepeated } from '../option-parsers.ts';
import { oneLine } from '../printable.ts';
import { requireText } from '../require-text.ts';
import type { Shell } from '../shell.ts';
import { formatRecord, formatTable } from '../table.ts';

type Memory = components['schemas']['MemoryRecord'];
type Version = components['schemas']['MemoryVersion'];

const TYPES = ['user', 'agent', 'team', 'workflow'] as const;
const METHODS = [
  'agentic',
  'agentic_vector',
  'agentic_hybrid',
  'agentic_keyword',
  'vector',
  'hybrid',
  'keyword',
  'last_n',
  'first_n',
] as const;
const USER_OPTION = ['-u, --user <id>', 'owner of the memory; with a bearer token, by default its user'] as const;

/** `loci memories` */
export function addMemories(program: Command, shell: Shell): void {
  const memories = program.command('memories').description('Manage memories of users');
  addAdd(memories, shell);
  addList(memories, shell);
  addSearch(memories, shell);
  addUpdate(memories, shell);
  addById(memories, shell);
  addOfUser(memories, shell);
}

function addAdd(memories: Command, shell: Shell): void {
  memories
    .command('add')
    .description('Create a memory; it is searchable immediately')
    .argument('<text>')
    .option(...USER_OPTION)
    .addOption(new Option('--type <type>', 'type of the memory').choices(TYPES).default('user' as const))
    .option('--topic <topic>', 'may be repeated', collectRepeated)
    .option('-m, --metadata <json>', 'a JSON object', parseJsonObject)
    .action(async (memory, { user, type, topic, metadata }) => {
      const body = { memory, memory_type: type, ...omitUndefined({ user_id: user, topics: topic, metadata }) };
      const answer = await dataOf(shell.openClient().api.POST('/api/v1/memories', { body }));
      shell.print(answer.memory, formatRecord);
    });
}

function addList(memories: Command, shell: Shell): void {
  memories
    .command('list')
    .description('List memories')
    .option('-u, --user <id>', 'only memories of this user')
    .addOption(new Option('--type <type>', 'only memories of this type').choices(TYPES))
    .option('--superseded', 'also list superseded memories')
    .option(...LIMIT_OPTION)
    .action(async ({ user, type, superseded, limit }) => {
      const loci = shell.openClient();
      const query = omitUndefined({ user_id: user, memory_type: type, include_superseded: superseded });
      shell.print(await fetchList({ loci, shell, limit }, '/api/v1/memories', { query }), formatMemories);
    });
}

function addSearch(memories: Command, shell: Shell): void {
  memories
    .command('search')
    .description('Search memories')
    .argument('[query...]', 'search query; not needed for last_n and first_n')
    .option('-u, --user <id>', 'only memories of this user')
    .addOption(new Option('--method <method>', 'retrieval method').choices(METHODS).default('agentic' as const))
    .option('--as-of <time>', 'as it was at this time (ISO 8601)')
    .option('-n, --limit <number>', 'maximum number of results', parseInteger(1, 100), 10)
    .action(async (words, { user, method, asOf, limit }) => {
      if (method !== 'last_n' && method !== 'first_n') {
        requireText(
          words.join(' '),
          'Say what to search for: loci memories search "tea or coffee". last_n and first_n need nothing.',
        );
      }
      const body = {
        query: words.join(' '),
        retrieval_method: method,
        limit,
        ...omitUndefined({ user_id: user, as_of: asOf }),
      };
      const found = await dataOf(shell.openClient().api.POST('/api/v1/memories/search', { body }));
      shell.print(found, ({ memories: all }) => formatMemories(all));
    });
}

function addUpdate(memories: Command, shell: Shell): void {
  memories
    .command('update')
    .description('Update a memory; fields that are not given stay unchanged')
    .argument('<id>')
    .option(...USER_OPTION)
    .option('-t, --text <text>', 'the new text')
    .option('--topic <topic>', 'new topics; may be repeated', collectRepeated)
    .option('-m, --metadata <json>', 'the new metadata, a JSON object', parseJsonObject)
    .action(async (id, { user, text, topic, metadata }) => {
      const params = { path: { memory_id: id } };
      const body = omitUndefined({ user_id: user, memory: text, topics: topic, metadata });
      const answer = await dataOf(shell.openClient().api.PUT('/api/v1/memories/{memory_id}', { params, body }));
      shell.print(answer.memory, formatRecord);
    });
}

function addById(memories: Command, shell: Shell): void {
  memories
    .command('get')
    .description('Show a memory')
    .argument('<id>')
    .option('--as-of <time>', 'as it was at this time (ISO 8601)')
    .action(async (id, { asOf }) => {
      const params = { path: { memory_id: id }, query: omitUndefined({ as_of: asOf }) };
      shell.print(await dataOf(shell.openClient().api.GET('/api/v1/memories/{memory_id}', { params })), formatRecord);
    });
  memories
    .command('delete')
    .description('Delete a memory and all its versions')
    .argument('<id>')
    .option(...YES_OPTION)
    .action(async (id, options) => {
      const { api } = shell.openClient();
      const params = { path: { memory_id: id } };
      await confirm(shell, options, async () => {
        const { memory } = await dataOf(api.GET('/api/v1/memories/{memory_id}', { params }));
        return `Delete the memory "${oneLine(memory, 60)}" and all its versions?`;
      });
      await dataOf(api.DELETE('/api/v1/memories/{memory_id}', { params }));
      shell.print({ memory_id: id, status: 'deleted' }, () => `${id}  deleted`);
    });
  memories
    .command('history')
    .description('Show all versions of a memory, newest first')
    .argument('<id>')
    .option(...LIMIT_OPTION)
    .action(async (id, { limit }) => {
      const loci = shell.openClient();
      const path = { memory_id: id };
      shell.print(
        await fetchList({ loci, shell, limit }, '/api/v1/memories/{memory_id}/history', { path }),
        formatVersions,
      );
    });
}

function addOfUser(memories: Command, shell: Shell): void {
  const user = ['-u, --user <id>', 'the user; with a bearer token, by default its user'] as const;
  memories
    .command('export')
    .description('Write every version of all memories of a user to standard output, one JSON object per line')
    .option(...user)
    .action(async (options) => {
      const exported = shell.openClient().exportMemories(omitUndefined({ userId: options.user }));
      const lines = async function* () {
        for await (const version of exported) yield `${JSON.stringify(version)}\n`;
      };
      await pipeline(lines, process.stdout, { end: false });
    });
  memories
    .command('forget')
    .description('Delete all memories of a user with their history, and print the id of the receipt')
    .option(...user)
    .option(...YES_OPTION)
    .action(async (options) => {
      const { api } = shell.openClient();
      const query = omitUndefined({ user_id: options.user });
      await confirm(shell, options, async () => {
        const params = { query: { ...query, include_superseded: true, limit: 1 } };
        const { total_count: count, total_is_exact: isExact } = await dataOf(api.GET('/api/v1/memories', { params }));
        return `Delete all ${isExact ? count : `${count} and more`} memories of ${options.user ?? 'this user'}, with their history?`;
      });
      shell.print(await dataOf(api.DELETE('/api/v1/memories', { params: { query } })), formatRecord);
    });
}

function formatMemories(memories: readonly Memory[]): string {
  if (memories.length === 0) return 'There are no memories.';
  const rows = memories.map(({ memory_id, user_id, updated_at, memory }) => [memory_id, user_id, updated_at, memory]);
  return formatTable(['ID', 'USER', 'UPDATED', 'MEMORY'], rows);
}

function formatVersions(all: readonly Version[]): string {
  const rows = all.map(({ version, valid_from, valid_to, memory }) => [
    String(version),
    valid_from,
    valid_to ?? 'now',
    memory,
  ]);
  return formatTable(['VERSION', 'FROM', 'TO', 'MEMORY'], rows);
}
