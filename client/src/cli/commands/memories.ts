import { type Command, Option } from '@commander-js/extra-typings';
import { dataOf } from '../../data-of.ts';
import type { components } from '../../schema.ts';
import { given } from '../given.ts';
import { firstOf, LIMIT_OPTION } from '../lists.ts';
import { integer, jsonObject, repeated } from '../option-values.ts';
import type { Shell } from '../shell.ts';
import { record, table } from '../table.ts';

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
const USER_OPTION = ['-u, --user <id>', 'whose memory; with a bearer token, its own user by default'] as const;

/** `loci memories` */
export function addMemories(program: Command, shell: Shell): void {
  const memories = program.command('memories').description('What is remembered about users');
  addAdd(memories, shell);
  addList(memories, shell);
  addSearch(memories, shell);
  addUpdate(memories, shell);
  addById(memories, shell);
}

function addAdd(memories: Command, shell: Shell): void {
  memories
    .command('add')
    .description('Remember something; it can be found when this is done')
    .argument('<text>')
    .option(...USER_OPTION)
    .addOption(new Option('--type <type>', 'kind of memory').choices(TYPES).default('user' as const))
    .option('--topic <topic>', 'may be repeated', repeated)
    .option('-m, --metadata <json>', 'a JSON object', jsonObject)
    .action(async (memory, { user, type, topic, metadata }) => {
      const body = { memory, memory_type: type, ...given({ user_id: user, topics: topic, metadata }) };
      const answer = await dataOf(shell.open().api.POST('/api/v1/memories', { body }));
      shell.print(answer.memory, record);
    });
}

function addList(memories: Command, shell: Shell): void {
  memories
    .command('list')
    .description('List memories')
    .option('-u, --user <id>', 'of this user')
    .addOption(new Option('--type <type>', 'of this kind').choices(TYPES))
    .option(...LIMIT_OPTION)
    .action(async ({ user, type, limit }) => {
      const loci = shell.open();
      const query = given({ user_id: user, memory_type: type });
      shell.print(await firstOf({ loci, shell, limit }, '/api/v1/memories', { query }), listed);
    });
}

function addSearch(memories: Command, shell: Shell): void {
  memories
    .command('search')
    .description('Search memories')
    .argument('[query...]', 'what to look for; last_n and first_n need none')
    .option('-u, --user <id>', 'of this user')
    .addOption(new Option('--method <method>', 'how').choices(METHODS).default('agentic' as const))
    .option('--as-of <time>', 'as it was at this time (ISO 8601)')
    .option('-n, --limit <number>', 'at most so many', integer(1, 100), 10)
    .action(async (words, { user, method, asOf, limit }) => {
      const body = {
        query: words.join(' '),
        retrieval_method: method,
        limit,
        ...given({ user_id: user, as_of: asOf }),
      };
      const found = await dataOf(shell.open().api.POST('/api/v1/memories/search', { body }));
      shell.print(found, ({ memories: all }) => listed(all));
    });
}

function addUpdate(memories: Command, shell: Shell): void {
  memories
    .command('update')
    .description('Change a memory; what is not given stays')
    .argument('<id>')
    .option(...USER_OPTION)
    .option('-t, --text <text>', 'the new text')
    .option('--topic <topic>', 'its topics from now on; may be repeated', repeated)
    .option('-m, --metadata <json>', 'the new metadata, a JSON object', jsonObject)
    .action(async (id, { user, text, topic, metadata }) => {
      const params = { path: { memory_id: id } };
      const body = given({ user_id: user, memory: text, topics: topic, metadata });
      const answer = await dataOf(shell.open().api.PUT('/api/v1/memories/{memory_id}', { params, body }));
      shell.print(answer.memory, record);
    });
}

function addById(memories: Command, shell: Shell): void {
  memories
    .command('get')
    .description('Show a memory')
    .argument('<id>')
    .option('--as-of <time>', 'as it was at this time (ISO 8601)')
    .action(async (id, { asOf }) => {
      const params = { path: { memory_id: id }, query: given({ as_of: asOf }) };
      shell.print(await dataOf(shell.open().api.GET('/api/v1/memories/{memory_id}', { params })), record);
    });
  memories
    .command('delete')
    .description('Forget a memory, with all its versions')
    .argument('<id>')
    .action(async (id) => {
      await dataOf(shell.open().api.DELETE('/api/v1/memories/{memory_id}', { params: { path: { memory_id: id } } }));
      shell.print({ memory_id: id, status: 'deleted' }, () => `${id}  deleted`);
    });
  memories
    .command('history')
    .description('Show all versions of a memory, newest first')
    .argument('<id>')
    .option(...LIMIT_OPTION)
    .action(async (id, { limit }) => {
      const loci = shell.open();
      const path = { memory_id: id };
      shell.print(await firstOf({ loci, shell, limit }, '/api/v1/memories/{memory_id}/history', { path }), versions);
    });
}

function listed(memories: readonly Memory[]): string {
  if (memories.length === 0) return 'There is no memory.';
  const rows = memories.map(({ memory_id, user_id, updated_at, memory }) => [memory_id, user_id, updated_at, memory]);
  return table(['ID', 'USER', 'UPDATED', 'MEMORY'], rows);
}

function versions(all: readonly Version[]): string {
  const rows = all.map(({ version, valid_from, valid_to, memory }) => [
    String(version),
    valid_from,
    valid_to ?? 'now',
    memory,
  ]);
  return table(['VERSION', 'FROM', 'TO', 'MEMORY'], rows);
}
