import { type Command, Option } from '@commander-js/extra-typings';
import { dataOf } from '../../data-of.ts';
import type { components } from '../../schema.ts';
import { confirm, YES_OPTION } from '../confirm.ts';
import { omitUndefined } from '../omit-undefined.ts';
import { fetchList, LIMIT_OPTION } from '../fetch-list.ts';
import { collectRepeated } from '../option-parsers.ts';
import { resolveCollectionId, type Shell } from '../shell.ts';
import { formatRecord, formatTable } from '../table.ts';

type Conversation = components['schemas']['Conversation'];
type Message = components['schemas']['Message'];

const STATUSES = ['active', 'ended', 'archived'] as const satisfies Conversation['status'][];

/** `loci conversations` */
export function addConversations(program: Command, shell: Shell): void {
  const conversations = program.command('conversations').description('Manage conversations and their messages');
  addList(conversations, shell);
  addCreate(conversations, shell);
  addById(conversations, shell);
  addMessages(conversations, shell);
}

function addList(conversations: Command, shell: Shell): void {
  conversations
    .command('list')
    .description('List conversations, newest first; with --search, best match first')
    .option('-s, --search <text>', 'fuzzy match on the title')
    .addOption(new Option('--status <status>', 'only conversations with this status').choices(STATUSES))
    .option('-u, --user <id>', 'only conversations of this user')
    .option('-c, --collection <id or name>', 'only conversations associated with this collection')
    .option(...LIMIT_OPTION)
    .action(async ({ search, status, user, collection, limit }) => {
      const loci = shell.openClient();
      const collectionId = collection === undefined ? undefined : await resolveCollectionId(loci, collection);
      const query = omitUndefined({ search, status, user_id: user, collection_id: collectionId });
      shell.print(await fetchList({ loci, shell, limit }, '/api/v1/conversations', { query }), formatConversations);
    });
}

function addCreate(conversations: Command, shell: Shell): void {
  conversations
    .command('create')
    .description('Create a conversation')
    .argument('[title]')
    .option('-u, --user <id>', 'owner; with a bearer token, always its user')
    .option('-c, --collection <id or name>', 'associated with this collection; may be repeated', collectRepeated)
    .option('--public', 'readable by all members of the workspace')
    .action(async (title, { user, collection, public: isPublic }) => {
      const loci = shell.openClient();
      const ids = collection && (await Promise.all(collection.map((one) => resolveCollectionId(loci, one))));
      const body = omitUndefined({ title, owner_id: user, collections: ids, is_public: isPublic });
      shell.print(await dataOf(loci.api.POST('/api/v1/conversations', { body })), formatRecord);
    });
}

function addById(conversations: Command, shell: Shell): void {
  const byId = (name: string, description: string) =>
    conversations.command(name).description(description).argument('<id>');
  const of = (id: string) => ({ params: { path: { conversation_id: id } } });
  byId('get', 'Show a conversation').action(async (id) => {
    shell.print(
      await dataOf(shell.openClient().api.GET('/api/v1/conversations/{conversation_id}', of(id))),
      formatRecord,
    );
  });
  byId('end', 'End a conversation').action(async (id) => {
    shell.print(
      await dataOf(shell.openClient().api.PATCH('/api/v1/conversations/{conversation_id}/end', of(id))),
      formatRecord,
    );
  });
  byId('archive', 'Archive a conversation').action(async (id) => {
    const path = '/api/v1/conversations/{conversation_id}/archive';
    shell.print(await dataOf(shell.openClient().api.PATCH(path, of(id))), formatRecord);
  });
  byId('delete', 'Delete a conversation and its messages')
    .option(...YES_OPTION)
    .action(async (id, options) => {
      const { api } = shell.openClient();
      const path = '/api/v1/conversations/{conversation_id}';
      await confirm(shell, options, async () => {
        const { title } = await dataOf(api.GET(path, of(id)));
        return `Delete the conversation "${title ?? id}" and its messages?`;
      });
      await dataOf(api.DELETE(path, of(id)));
      shell.print({ id, status: 'deleted' }, () => `${id}  deleted`);
    });
}

function addMessages(conversations: Command, shell: Shell): void {
  conversations
    .command('messages')
    .description('List the messages of a conversation, oldest first')
    .argument('<id>')
    .option(...LIMIT_OPTION)
    .action(async (id, { limit }) => {
      const loci = shell.openClient();
      const path = { conversation_id: id };
      const list = '/api/v1/conversations/{conversation_id}/messages';
      shell.print(await fetchList({ loci, shell, limit }, list, { path }), formatMessages);
    });
  conversations
    .command('add')
    .description('Add a message to a conversation')
    .argument('<id>')
    .argument('<text>')
    .option('--role <role>', 'user, assistant, system …', 'user')
    .option('--sender <id>', 'id of the sender')
    .option('--remember', 'create memories from messages of users')
    .action(async (id, text, { role, sender, remember }) => {
      const content = { content: text, role, ...omitUndefined({ sender_id: sender }) };
      const body = { conversation_id: id, content, ...omitUndefined({ enable_memories: remember }) };
      shell.print(await dataOf(shell.openClient().api.POST('/api/v1/messages', { body })), formatMessages);
    });
}

function formatConversations(conversations: readonly Conversation[]): string {
  if (conversations.length === 0) return 'There are no conversations.';
  const rows = conversations.map(({ id, status, owner_id, created_at, title }) => [
    id,
    status,
    owner_id ?? '-',
    created_at,
    title ?? '',
  ]);
  return formatTable(['ID', 'STATUS', 'OWNER', 'CREATED', 'TITLE'], rows);
}

function formatMessages(messages: readonly Message[]): string {
  if (messages.length === 0) return 'There are no messages.';
  const rows = messages.map(({ sent_at, role, sender_id, content }) => [sent_at, role, sender_id ?? '-', content]);
  return formatTable(['SENT', 'ROLE', 'SENDER', 'MESSAGE'], rows);
}
