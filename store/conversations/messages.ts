import type { Message, MessageOrder, NewMessage } from '#domain/records/message.ts';
import type { Scope } from '#domain/access/scope.ts';
import { queryPage, rowBytes, type Page } from '#store/page.ts';
import { query, queryOne, type Database } from '#store/postgres.ts';

export type MessageRow = Omit<Message, 'created_at' | 'updated_at' | 'sent_at'> & {
  seq: number;
  created_at: Date;
  updated_at: Date;
  sent_at: Date;
};

/** `memory_user_id`: the owner of memories to extract from the message; null to extract none. */
export type MessageToInsert = Omit<NewMessage, 'created_at'> & {
  checksum: string;
  owner_id: string | null;
  memory_user_id: string | null;
  /** Null: the current time of the database. */
  created_at: string | null;
};

/** A message to extract memories from. */
export type ExtractionSource = {
  id: string;
  seq: number;
  content: string;
  role: string;
  memory_user_id: string;
  /** When it was sent, but not later than now. */
  stated_at: Date;
};

const COLUMNS = `m.id, m.conversation_id, m.sender_id, m.content, m.workspace_id, m.created_at, m.updated_at, m.role,
  m.tool_calls, m.message_type, m.tags, m.checksum, m.attachments, m.parent_message_id, m.meta_data, m.sent_at, m.owner_id,
  m.seq`;

const ROW_BYTES = rowBytes({
  texts: ['m.content'],
  json: ['m.tags', 'm.tool_calls', 'm.attachments', 'm.meta_data'],
});

/** Messages, ordered by `seq` within their conversation. */
export function createMessageStore(database: Database) {
  return {
    /**
     * Appends messages to a conversation. Call it in a transaction that holds the lock of the conversation. Fails when the
     * conversation does not exist.
     */
    async insert(scope: Scope, conversationId: string, messages: readonly MessageToInsert[]): Promise<MessageRow[]> {
      const rows = await query<MessageRow>(
        database,
        `with c as (
           update conversations set message_count = message_count + :count::bigint, updated_at = now()
           where id = :conversationId and workspace_id = :workspaceId
           returning id, workspace_id, message_count - :count::bigint as before
         ), added as (
           insert into messages (conversation_id, workspace_id, seq, sender_id, content, role, message_type, tool_calls,
             tags, checksum, attachments, parent_message_id, meta_data, memory_user_id, sent_at, created_at, owner_id)
           select c.id, c.workspace_id, c.before + x.number, x.sender_id, x.content, x.role, x.message_type, x.tool_calls,
             array(select jsonb_array_elements_text(x.tags)), x.checksum, x.attachments, x.parent_message_id, x.meta_data,
             x.memory_user_id, coalesce(x.created_at, now()), coalesce(x.created_at, now()), x.owner_id
           from c, rows from (jsonb_to_recordset(:messages::jsonb) as (sender_id text, content text, role text, message_type text,
             tool_calls jsonb, tags jsonb, checksum text, attachments jsonb, parent_message_id uuid, meta_data jsonb,
             memory_user_id text, created_at timestamptz, owner_id text)) with ordinality as x (sender_id, content, role,
             message_type, tool_calls, tags, checksum, attachments, parent_message_id, meta_data, memory_user_id, created_at,
             owner_id, number)
           returning *
         ) select ${COLUMNS} from added m order by m.seq`,
        {
          workspaceId: scope.workspaceId,
          conversationId,
          count: messages.length,
          messages: JSON.stringify(messages),
        },
      );
      if (rows.length !== messages.length)
        throw new Error('not all messages were inserted: the conversation does not exist');
      return rows;
    },

    /** Deletes the first messages of a conversation, at most `limit`. Returns how many there were. */
    async deleteFirst(scope: Scope, conversationId: string, limit: number): Promise<number> {
      const row = await queryOne<{ count: number }>(
        database,
        `with gone as (
           delete from messages where id = any(array(
             select id from messages where conversation_id = :conversationId and workspace_id = :workspaceId
             order by seq limit :limit)) returning 1
         ) select count(*) as count from gone`,
        { workspaceId: scope.workspaceId, conversationId, limit },
      );
      return row?.count ?? 0;
    },

    /** Returns those of the ids that belong to messages of the conversation. */
    async findExistingIds(scope: Scope, conversationId: string, ids: readonly string[]): Promise<string[]> {
      if (ids.length === 0) return [];
      const rows = await query<{ id: string }>(
        database,
        `select id from messages
         where conversation_id = :conversationId and workspace_id = :workspaceId and id = any(:ids::uuid[])`,
        { workspaceId: scope.workspaceId, conversationId, ids },
      );
      return rows.map((row) => row.id);
    },

    /** Returns a page ordered by `seq`. `parentId`: only replies to this message. `after`: `seq` of the one before the page. */
    list(
      scope: Scope,
      filter: { conversationId: string; parentId: string | null },
      { order, after, limit }: { order: MessageOrder; after: number | null; limit: number },
    ): Promise<Page<MessageRow>> {
      const [follows, direction] = order === 'oldest_first' ? ['>', 'asc'] : ['<', 'desc'];
      const list = `select ${COLUMNS}, ${ROW_BYTES} from messages m
        where m.conversation_id = :conversationId and m.workspace_id = :workspaceId
          and (:parentId::uuid is null or m.parent_message_id = :parentId)
          and (:after::bigint is null or m.seq ${follows} :after) order by m.seq ${direction}`;
      const bindings = { workspaceId: scope.workspaceId, ...filter, after };
      return queryPage<MessageRow>(database, { list, order: `seq ${direction}`, limit }, bindings);
    },

    async count(scope: Scope, filter: { conversationId: string; parentId: string | null }): Promise<number> {
      const row = await queryOne<{ count: number }>(
        database,
        `select count(*) as count from messages m where m.conversation_id = :conversationId and m.workspace_id = :workspaceId
           and (:parentId::uuid is null or m.parent_message_id = :parentId)`,
        { workspaceId: scope.workspaceId, ...filter },
      );
      return row?.count ?? 0;
    },

    /**
     * Returns the last messages up to `seq`, oldest first: at most `messages` of them, as far back as `characters` characters
     * reach. The texts are cut off at `characters`.
     */
    async listRecentTexts(
      scope: Scope,
      conversationId: string,
      upTo: { seq: number; messages: number; characters: number },
    ): Promise<{ role: string; content: string }[]> {
      return query(
        database,
        `select role, content from (
           select seq, role, left(content, :characters::int) as content,
             sum(least(length(content), :characters::int)) over (order by seq desc)
               - least(length(content), :characters::int) as before
           from (select seq, role, content from messages
             where conversation_id = :conversationId and workspace_id = :workspaceId and seq <= :seq
             order by seq desc limit :messages) newest
         ) counted where before < :characters order by seq`,
        { workspaceId: scope.workspaceId, conversationId, ...upTo },
      );
    },

    /** Returns messages with a `seq` in the span that memories are to be extracted from and have not been yet. */
    listExtractionSources(
      scope: Scope,
      conversationId: string,
      span: { from: number; to: number; limit: number },
    ): Promise<ExtractionSource[]> {
      return query<ExtractionSource>(
        database,
        `select id, seq, content, role, memory_user_id, least(sent_at, now()) as stated_at from messages
         where conversation_id = :conversationId and workspace_id = :workspaceId
           and seq between :from and :to and memory_user_id is not null order by seq limit :limit`,
        { workspaceId: scope.workspaceId, conversationId, ...span },
      );
    },

    /** Counts a failure of the chat model during the extraction from a message. Returns how many there have been. */
    async countModelFailure(scope: Scope, id: string): Promise<number> {
      const row = await queryOne<{ extraction_failures: number }>(
        database,
        `update messages set extraction_failures = coalesce(extraction_failures, 0) + 1
         where id = :id and workspace_id = :workspaceId returning extraction_failures`,
        { id, workspaceId: scope.workspaceId },
      );
      return row?.extraction_failures ?? 0;
    },

    /** Marks messages as extracted, within the transaction that stores their memories. Returns those that were not marked yet. */
    async claimForExtraction(scope: Scope, ids: readonly string[]): Promise<string[]> {
      const rows = await query<{ id: string }>(
        database,
        `update messages set memory_user_id = null where id = any(:ids::uuid[]) and workspace_id = :workspaceId
           and memory_user_id is not null returning id`,
        { workspaceId: scope.workspaceId, ids },
      );
      return rows.map((row) => row.id);
    },
  };
}

export type MessageStore = ReturnType<typeof createMessageStore>;
