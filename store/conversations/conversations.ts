import type { ConversationStatus } from '#domain/conversations/conversation-status.ts';
import type { Conversation } from '#domain/records/conversation.ts';
import type { Scope } from '#domain/access/scope.ts';
import { queryPage, rowBytes, type Page } from '#store/page.ts';
import { query, queryOne, type Database } from '#store/postgres.ts';

export type ConversationRow = Omit<Conversation, 'created_at' | 'updated_at' | 'ended_at'> & {
  created_at: Date;
  updated_at: Date;
  ended_at: Date | null;
  message_count: number;
  summary_asked: number;
  summary_seq: number;
};

export type NewConversation = Pick<
  Conversation,
  'title' | 'is_public' | 'collections' | 'meta_data' | 'settings' | 'owner_id' | 'created_by'
> & { titleKey: string };

/** Fields that are undefined are not changed. */
export type ConversationChanges = {
  [Key in 'title' | 'is_public' | 'collections' | 'meta_data' | 'settings']?: Conversation[Key] | undefined;
} & { titleKey?: string | undefined };

/** Who reads: a user reads their own and public conversations; null (an API key) reads all of the workspace. */
export type ConversationReader = { readerId: string | null };
/** A text to find in titles, and its `titleKey`, which is empty when the text has no letters or digits. */
export type TitleSearch = { text: string; key: string };
export type ConversationFilter = {
  status?: ConversationStatus | undefined;
  title?: TitleSearch | undefined;
  userId?: string | undefined;
  collectionId?: string | undefined;
};

/** A conversation with its place in a list: its distance from the search text, and microseconds since 1970. */
export type ListedConversation = ConversationRow & { distance: number; created_us: number };

const COLUMNS = `c.id, c.title, c.summary, c.status, c.is_public, c.collections, c.meta_data, c.settings, c.ended_at,
  c.owner_id, c.workspace_id, c.created_by, c.created_at, c.updated_at, c.message_count, c.summary_asked, c.summary_seq`;
/**
 * A caller limited to certain collections reads only conversations about these, except that users always read their own.
 * Nobody reads what is left of one that is being deleted.
 */
const READABLE = `c.workspace_id = :workspaceId and not c.is_deleting
  and (:collectionIds::uuid[] is null or c.collections <@ :collectionIds::uuid[] or c.owner_id = :readerId::text)
  and (:readerId::text is null or c.owner_id = :readerId or c.is_public)`;
const MATCHING = `(:status::text is null or c.status = :status) and (:userId::text is null or c.owner_id = :userId)`;
/**
 * Conversations with a title to which the search text is similar, or which contains it, and those about a collection. The
 * functions use indexes that the policy of the table rules out for the statement itself. No index knows other characters than
 * letters and digits.
 */
const BY_TITLE = `and c.id in (select conversations_with_title(:workspaceId, :titleKey, :titleText))`;
const BY_SYMBOLS = `and plain_title(:titleText) <> '' and position(plain_title(:titleText) in plain_title(c.title)) > 0`;
const BY_COLLECTION = `and c.id in (select conversations_by_collection(:workspaceId, :collectionId))`;

/** How different the title is from the search text: 0 (the same) to 1. */
const DISTANCE = `case when :titleKey::text is null then 0 else 1 - word_similarity(:titleKey, c.title_key) end`;
/** Conversations that follow another one in the order of the list. */
const FOLLOWING = `(:afterId::uuid is null or ${DISTANCE} > :afterDistance::float8
  or (${DISTANCE} = :afterDistance::float8 and (c.created_at, c.id)
    < (to_timestamp(0) + :afterUs::bigint * interval '1 microsecond', :afterId::uuid)))`;
const ROW_BYTES = rowBytes({ texts: ['c.title', 'c.summary'], json: ['c.meta_data', 'c.settings', 'c.collections'] });

/** Conversations. */
export function createConversationStore(database: Database) {
  return {
    async insert(scope: Scope, conversation: NewConversation): Promise<ConversationRow> {
      const row = await queryOne<ConversationRow>(
        database,
        `insert into conversations as c (workspace_id, title, title_key, is_public, collections, meta_data, settings,
           owner_id, created_by)
         values (:workspaceId, :title, :titleKey, :is_public, :collections::uuid[], :meta_data::jsonb, :settings::jsonb,
           :owner_id, :created_by)
         returning ${COLUMNS}`,
        {
          ...conversation,
          workspaceId: scope.workspaceId,
          meta_data: JSON.stringify(conversation.meta_data),
          settings: JSON.stringify(conversation.settings),
        },
      );
      if (!row) throw new Error('insert returned no row');
      return row;
    },

    /** Returns a conversation, or null when it does not exist or the reader may not read it. */
    find(scope: Scope, id: string, reader: ConversationReader): Promise<ConversationRow | null> {
      return queryOne<ConversationRow>(
        database,
        `select ${COLUMNS} from conversations c where c.id = :id and ${READABLE}`,
        { ...scope, ...reader, id },
      );
    },

    /** Locks those of the conversations that the reader may read until the transaction ends; in id order, to avoid deadlocks. */
    lock(scope: Scope, ids: readonly string[], reader: ConversationReader): Promise<ConversationRow[]> {
      return query<ConversationRow>(
        database,
        `select ${COLUMNS} from conversations c where c.id = any(:ids::uuid[]) and ${READABLE} order by c.id for update`,
        { ...scope, ...reader, ids },
      );
    },

    /** Adds collections that an answer was written from to those that a conversation is about. */
    async addAnsweredCollections(scope: Scope, id: string, collectionIds: readonly string[]): Promise<void> {
      await query(
        database,
        `update conversations set collections = collections || array(
             select added from unnest(:added::uuid[]) added where added <> all(collections)),
           answered_collections = answered_collections || array(
             select added from unnest(:added::uuid[]) added where added <> all(answered_collections))
         where workspace_id = :workspaceId and id = :id
           and not (collections @> :added::uuid[] and answered_collections @> :added::uuid[])`,
        { ...scope, id, added: collectionIds },
      );
    },

    /** Returns those of a conversation's collections that its answers were written from. */
    async listAnsweredCollections(scope: Scope, id: string): Promise<string[]> {
      const sql = `select answered_collections as ids from conversations where workspace_id = :workspaceId and id = :id`;
      const row = await queryOne<{ ids: string[] }>(database, sql, { workspaceId: scope.workspaceId, id });
      return row?.ids ?? [];
    },

    /** Returns a page of conversations, newest first; with a search, the most similar titles first. `after`: what it follows. */
    list(
      scope: Scope,
      filter: ConversationFilter & ConversationReader,
      { skip, limit, after }: { skip: number; limit: number; after?: ListedConversation | null },
    ): Promise<Page<ListedConversation>> {
      const list = `select ${COLUMNS}, ${ROW_BYTES}, ${DISTANCE} as distance,
          (extract(epoch from c.created_at) * 1000000)::bigint as created_us
        from conversations c where ${READABLE} and ${matching(filter)} and ${FOLLOWING}
        order by ${DISTANCE}, c.created_at desc, c.id desc offset :skip`;
      const place = { afterDistance: after?.distance, afterUs: after?.created_us, afterId: after?.id };
      return queryPage<ListedConversation>(
        database,
        { list, order: 'distance, created_at desc, id desc', limit },
        { ...filterBindings(scope, filter), ...place, skip },
      );
    },

    async count(scope: Scope, filter: ConversationFilter & ConversationReader): Promise<number> {
      const sql = `select count(*) as count from conversations c where ${READABLE} and ${matching(filter)}`;
      const row = await queryOne<{ count: number }>(database, sql, filterBindings(scope, filter));
      return row?.count ?? 0;
    },

    async update(scope: Scope, id: string, changes: ConversationChanges): Promise<void> {
      const { title, titleKey, is_public, collections, meta_data, settings } = changes;
      await query(
        database,
        `update conversations set updated_at = now(),
           title = case when :setsTitle then :title else title end, title_key = coalesce(:titleKey, title_key),
           is_public = coalesce(:is_public, is_public), collections = coalesce(:collections::uuid[], collections),
           answered_collections = case when :collections::uuid[] is null then answered_collections else array(
             select answered from unnest(answered_collections) answered where answered = any(:collections::uuid[])) end,
           meta_data = coalesce(:meta_data::jsonb, meta_data), settings = coalesce(:settings::jsonb, settings)
         where id = :id and workspace_id = :workspaceId`,
        {
          workspaceId: scope.workspaceId,
          id,
          setsTitle: title !== undefined,
          title,
          titleKey,
          is_public,
          collections,
          meta_data: meta_data && JSON.stringify(meta_data),
          settings: settings && JSON.stringify(settings),
        },
      );
    },

    /** Sets the status and, the first time, `ended_at`. Does nothing when the conversation already has the status. */
    async setStatus(scope: Scope, id: string, status: ConversationStatus): Promise<void> {
      await query(
        database,
        `update conversations set status = :status, ended_at = coalesce(ended_at, now()), updated_at = now()
         where id = :id and workspace_id = :workspaceId and status <> :status`,
        { workspaceId: scope.workspaceId, id, status },
      );
    },

    /** Returns those of the collections that do not exist or are out of scope. */
    async findUnreachableCollections(scope: Scope, ids: readonly string[]): Promise<string[]> {
      if (ids.length === 0) return [];
      const rows = await query<{ id: string }>(
        database,
        `select x.id from unnest(:ids::uuid[]) as x(id) where not exists (select 1 from collections c where c.id = x.id
           and c.workspace_id = :workspaceId and c.status <> 'deleting'
           and (:collectionIds::uuid[] is null or c.id = any(:collectionIds::uuid[])))`,
        { ...scope, ids },
      );
      return rows.map((row) => row.id);
    },

    /** Deletes a conversation with its messages. */
    async delete(scope: Scope, id: string): Promise<void> {
      await query(database, `delete from conversations where id = :id and workspace_id = :workspaceId`, {
        workspaceId: scope.workspaceId,
        id,
      });
    },

    /** Records that a summary of the first `messages` messages was requested. */
    async recordSummaryRequest(scope: Scope, id: string, messages: number): Promise<void> {
      await query(
        database,
        `update conversations set summary_asked = greatest(summary_asked, :messages::bigint)
         where id = :id and workspace_id = :workspaceId`,
        { workspaceId: scope.workspaceId, id, messages },
      );
    },

    /** Stores a summary of the messages up to `seq`, unless a newer one exists. */
    async setSummary(scope: Scope, id: string, { summary, seq }: { summary: string; seq: number }): Promise<void> {
      await query(
        database,
        `update conversations set summary = :summary, summary_seq = :seq, updated_at = now()
         where id = :id and workspace_id = :workspaceId and summary_seq < :seq`,
        { workspaceId: scope.workspaceId, id, summary, seq },
      );
    },
  };
}

export type ConversationStore = ReturnType<typeof createConversationStore>;

function matching({ title, collectionId }: ConversationFilter): string {
  const byTitle = title === undefined ? '' : title.key === '' ? BY_SYMBOLS : BY_TITLE;
  const byCollection = collectionId === undefined ? '' : BY_COLLECTION;
  return `${MATCHING} ${byTitle} ${byCollection}`;
}

function filterBindings(scope: Scope, filter: ConversationFilter & ConversationReader) {
  const { status, title, userId, collectionId, readerId } = filter;
  return { ...scope, status, titleKey: title?.key || null, titleText: title?.text, userId, collectionId, readerId };
}
