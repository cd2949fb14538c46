import { createHash } from 'node:crypto';
import { AppError, validationError } from '#domain/app-error.ts';
import { requirePermission, type Caller } from '#domain/access/caller.ts';
import { extractMemoriesJob, summariseJob, isSummaryDue } from '#domain/conversations/conversation-jobs.ts';
import type { JobStart } from '#domain/jobs.ts';
import {
  messageOfText,
  type CreateMessagesRequest,
  type Message,
  type MessageGroup,
  type NewMessage,
} from '#domain/records/message.ts';
import { titleKey } from '#domain/conversations/title-key.ts';
import type { ConversationRow } from '#store/conversations/conversations.ts';
import type { MessageRow, MessageToInsert } from '#store/conversations/messages.ts';
import type { Stores } from '#store/stores.ts';
import { withIdempotency, type Answer, type Idempotency } from '#operations/idempotency.ts';
import { lockWritableConversations } from './require-conversation.ts';
import { authorizeMessages } from './authorize-messages.ts';
import type { Services } from '#operations/services.ts';
import { startWorkflows } from '#operations/jobs/start-workflows.ts';

const MAX_TITLE_CHARACTERS = 80;
/** Each conversation of a request takes its own statements for locking and writing. */
const MAX_CONVERSATIONS = 100;

/** `position`: the index of the message in the response. */
type BatchItem = { message: NewMessage; extractsMemories: boolean; position: number };
/** The messages of one conversation, in the order of the request. */
type ConversationBatch = { conversation: ConversationRow; items: BatchItem[] };

/**
 * Stores messages, all or none. Messages without a conversation are added to one new conversation. Workflows write the summary
 * and extract memories afterwards.
 * @throws AppError `not_found` for a conversation or a parent message; `forbidden` for a public conversation of another user, for
 *   a sender or role that the caller may not use, or when the caller enables memories without `memories:write`; `conflict` for
 *   a conversation that is not active.
 */
export async function createMessages(
  services: Services,
  caller: Caller,
  request: { body: CreateMessagesRequest; idempotency: Idempotency | null },
): Promise<Answer<Message[]>> {
  const groups = Array.isArray(request.body) ? request.body : [request.body];
  requireFewConversations(groups);
  if (groups.some((group) => group.enable_memories)) requirePermission(caller, 'memories:write');
  const jobs: JobStart[] = [];
  const answer = await withIdempotency<Message[]>(services, caller, {
    route: 'POST /messages',
    idempotency: request.idempotency,
    effect: async (stores) => {
      const added = await addMessages(stores, caller, groups);
      jobs.push(...added.jobs);
      return { status: 201, body: added.messages };
    },
  });
  startWorkflows(services, jobs);
  return answer;
}

/**
 * Stores messages in the transaction of `stores`. The workflows that are returned are to be started when it is committed.
 * @throws AppError like `createMessages`.
 */
export async function addMessages(
  stores: Stores,
  caller: Caller,
  groups: readonly MessageGroup[],
): Promise<{ messages: Message[]; jobs: JobStart[] }> {
  const messages: Message[] = [];
  const jobs: JobStart[] = [];
  for (const batch of await groupByConversation(stores, caller, groups)) {
    const rows = await insertMessages(stores, caller, batch);
    rows.forEach((row, index) => (messages[batch.items[index]?.position ?? 0] = toMessage(row)));
    jobs.push(...(await enqueueFollowUpJobs(stores, caller, { batch, rows })));
  }
  return { messages, jobs };
}

function requireFewConversations(groups: readonly MessageGroup[]): void {
  const conversations = new Set(groups.map((group) => group.conversation_id));
  if (conversations.size <= MAX_CONVERSATIONS) return;
  const msg = `At most ${MAX_CONVERSATIONS} conversations in one request`;
  throw validationError([{ loc: ['body'], msg, type: 'too_big' }]);
}

async function groupByConversation(
  stores: Stores,
  caller: Caller,
  groups: readonly MessageGroup[],
): Promise<ConversationBatch[]> {
  const ids = [...new Set(groups.flatMap((group) => group.conversation_id ?? []))];
  const found = await lockWritableConversations(stores, caller, ids);
  for (const { status } of found) {
    if (status !== 'active') {
      throw new AppError('conflict', `The conversation is ${status}. Omit conversation_id to start a new one.`);
    }
  }
  const batches = new Map<string | null, ConversationBatch>(
    found.map((conversation) => [conversation.id, { conversation, items: [] }]),
  );
  const read = groups.map((group) => ({
    key: group.conversation_id ?? null,
    extractsMemories: group.enable_memories,
    messages: authorizeMessages(caller, messagesOf(group)),
  }));
  const unplaced = read.filter(({ key }) => key === null).flatMap(({ messages }) => messages);
  if (unplaced.length > 0) {
    batches.set(null, { conversation: await createConversationFor(stores, caller, unplaced), items: [] });
  }
  let position = 0;
  for (const { key, extractsMemories, messages } of read) {
    const items = batches.get(key)?.items;
    for (const message of messages) items?.push({ message, extractsMemories, position: position++ });
  }
  return [...batches.values()];
}

function messagesOf({ content }: MessageGroup): NewMessage[] {
  const contents = Array.isArray(content) ? content : [content];
  return contents.map((one) => (typeof one === 'string' ? messageOfText(one) : one));
}

/**
 * Creates the conversation of messages that were sent without one. Its title is the beginning of the first message. With an API
 * key, the first sender with the role `user` becomes its owner.
 */
async function createConversationFor(
  stores: Stores,
  caller: Caller,
  messages: readonly NewMessage[],
): Promise<ConversationRow> {
  const title = messages[0]?.content.trim().split('\n')[0]?.slice(0, MAX_TITLE_CHARACTERS).toWellFormed() || null;
  const sender = messages.find(({ role, sender_id }) => role === 'user' && sender_id !== null)?.sender_id ?? null;
  return stores.conversations.insert(caller.scope, {
    title,
    titleKey: titleKey(title ?? ''),
    is_public: false,
    collections: [],
    meta_data: {},
    settings: {},
    owner_id: caller.userId ?? sender,
    created_by: caller.principal,
  });
}

async function insertMessages(
  stores: Stores,
  caller: Caller,
  { conversation, items }: ConversationBatch,
): Promise<MessageRow[]> {
  const parents = [...new Set(items.flatMap(({ message }) => message.parent_message_id ?? []))];
  const known = await stores.messages.findExistingIds(caller.scope, conversation.id, parents);
  if (known.length < parents.length) {
    throw new AppError('not_found', 'A parent_message_id is not the id of a message of this conversation.');
  }
  const ownerId = caller.userId ?? conversation.owner_id;
  const messages = items.map(({ message, extractsMemories }): MessageToInsert => {
    const userId = caller.userId ?? message.sender_id ?? ownerId;
    return {
      ...message,
      checksum: createHash('sha256').update(message.content, 'utf8').digest('hex'),
      created_at: message.created_at ?? null,
      owner_id: ownerId,
      memory_user_id: extractsMemories && message.role === 'user' ? userId : null,
    };
  });
  return stores.messages.insert(caller.scope, conversation.id, messages);
}

/** Adds the jobs that extract memories and write a summary to the outbox, in the transaction that stores the messages. */
async function enqueueFollowUpJobs(
  stores: Stores,
  caller: Caller,
  { batch, rows }: { batch: ConversationBatch; rows: readonly MessageRow[] },
): Promise<JobStart[]> {
  const { conversation, items } = batch;
  const [first, last] = [rows[0], rows.at(-1)];
  if (!first || !last) return [];
  const key = { workspace_id: caller.scope.workspaceId, conversation_id: conversation.id };
  const jobs: JobStart[] = [];
  if (items.some(({ extractsMemories, message }) => extractsMemories && message.role === 'user')) {
    jobs.push(extractMemoriesJob({ ...key, from: first.seq, to: last.seq }));
  }
  if (isSummaryDue(last.seq, conversation.summary_asked)) {
    jobs.push(summariseJob({ ...key, messages: last.seq }));
    await stores.conversations.recordSummaryRequest(caller.scope, conversation.id, last.seq);
  }
  await stores.outbox.add(caller.scope, jobs);
  return jobs;
}

/** Converts a row to the API representation. */
export function toMessage(row: MessageRow): Message {
  const { seq: _seq, ...rest } = row;
  return {
    ...rest,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    sent_at: row.sent_at.toISOString(),
  };
}
