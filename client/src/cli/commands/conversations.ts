import { type Command, Option } from '@commander-js/extra-typings';
import { dataOf } from '../../data-of.ts';
import type { components } from '../../schema.ts';
import { given } from '../given.ts';
import { firstOf, LIMIT_OPTION } from '../lists.ts';
import { repeated } from '../option-values.ts';
import { collectionIdOf, type Shell } from '../shell.ts';
import { record, table } from '../table.ts';

type Conversation = components['schemas']['Conversation'];
type Message = components['schemas']['Message'];

const STATUSES = ['active', 'ended', 'archived'] as const satisfies Conversation['status'][];

/** `loci conversations` */
export function addConversations(program: Command, shell: Shell): void {
  const conversations = program.command('conversations').description('Conversations and the messages in them');
  addList(conversations, shell);
  addCreate(conversations, shell);
  addById(conversations, shell);
  addMessages(conversations, shell);
}

function addList(conversations: Command, shell: Shell): void {
  conversations
    .command('list')
    .description('List conversations, newest first; with --search the likest titles first')
    .option('-s, --search <text>', 'fuzzy match on the title')
    .addOption(new Option('--status <status>', 'in this state').choices(STATUSES))
    .option('-u, --user <id>', 'owned by this user')
    .option('-c, --collection <id or name>', 'associated with this collection')
    .option(...LIMIT_OPTION)
    .action(async ({ search, status, user, collection, limit }) => {
      const loci = shell.open();
      const collectionId = collection === undefined ? undefined : await collectionIdOf(loci, collection);
      const query = given({ search, status, user_id: user, collection_id: collectionId });
      shell.print(await firstOf({ loci, shell, limit }, '/api/v1/conversations', { query }), listed);
    });
}

function addCreate(conversations: Command, shell: Shell): void {
  conversations
    .command('create')
    .description('Create a conversation')
    .argument('[title]')
    .option('-u, --user <id>', 'who it belongs to; with a bearer token, its own user')
    .option('-c, --collection <id or name>', 'associated with this collection; may be repeated', repeated)
    .option('--public', 'readable by everybody in the workspace')
    .action(async (title, { user, collection, public: isPublic }) => {
      const loci = shell.open();
      const ids = collection && (await Promise.all(collection.map((one) => collectionIdOf(loci, one))));
      const body = given({ title, owner_id: user, collections: ids, is_public: isPublic });
      shell.print(await dataOf(loci.api.POST('/api/v1/conversations', { body })), record);
    });
}

function addById(conversations: Command, shell: Shell): void {
  const byId = (name: string, description: string) =>
    conversations.command(name).description(description).argument('<id>');
  const of = (id: string) => ({ params: { path: { conversation_id: id } } });
  byId('get', 'Show a conversation').action(async (id) => {
    shell.print(await dataOf(shell.open().api.GET('/api/v1/conversations/{conversation_id}', of(id))), record);
  });
  byId('end', 'End a conversation').action(async (id) => {
    shell.print(await dataOf(shell.open().api.PATCH('/api/v1/conversations/{conversation_id}/end', of(id))), record);
  });
  byId('archive', 'Archive a conversation').action(async (id) => {
    const path = '/api/v1/conversations/{conversation_id}/archive';
    shell.print(await dataOf(shell.open().api.PATCH(path, of(id))), record);
  });
  byId('delete', 'Delete a conversation and its messages').action(async (id) => {
    await dataOf(shell.open().api.DELETE('/api/v1/conversations/{conversation_id}', of(id)));
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
      const loci = shell.open();
      const path = { conversation_id: id };
      const list = '/api/v1/conversations/{conversation_id}/messages';
      shell.print(await firstOf({ loci, shell, limit }, list, { path }), said);
    });
  conversations
    .command('add')
    .description('Add a message to a conversation')
    .argument('<id>')
    .argument('<text>')
    .option('--role <role>', 'user, assistant, system …', 'user')
    .option('--sender <id>', 'who says it')
    .option('--remember', 'make memories of what users say')
    .action(async (id, text, { role, sender, remember }) => {
      const content = { content: text, role, ...given({ sender_id: sender }) };
      const body = { conversation_id: id, content, ...given({ enable_memories: remember }) };
      shell.print(await dataOf(shell.open().api.POST('/api/v1/messages', { body })), said);
    });
}

function listed(conversations: readonly Conversation[]): string {
  if (conversations.length === 0) return 'There is no conversation.';
  const rows = conversations.map(({ id, status, owner_id, created_at, title }) => [
    id,
    status,
    owner_id ?? '-',
    created_at,
    title ?? '',
  ]);
  return table(['ID', 'STATUS', 'OWNER', 'CREATED', 'TITLE'], rows);
}

function said(messages: readonly Message[]): string {
  if (messages.length === 0) return 'There is no message.';
  const rows = messages.map(({ sent_at, role, sender_id, content }) => [sent_at, role, sender_id ?? '-', content]);
  return table(['SENT', 'ROLE', 'SENDER', 'MESSAGE'], rows);
}
