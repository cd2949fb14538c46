import { z } from 'zod';
import { CONVERSATION_STATUSES } from '#domain/conversations/conversation-status.ts';
import {
  AnyObject,
  CreatedAt,
  CreatedBy,
  Id,
  IsoTime,
  JsonObject,
  textField,
  UpdatedAt,
  WorkspaceId,
} from './fields.ts';

/** A conversation in API responses. */
export const Conversation = z
  .object({
    id: Id.meta({ description: 'Id of the conversation.' }),
    title: z.string().nullable().meta({
      description:
        'Title, at most 255 characters. `POST /messages` takes it from the first line of the first message; null without one.',
    }),
    summary: z
      .string()
      .nullable()
      .meta({ description: 'Summary that the service writes, and updates as the conversation grows.' }),
    status: z.enum(CONVERSATION_STATUSES).meta({
      description:
        '`active`, then `ended`, then `archived`; it never goes back. Only an active conversation takes messages.',
    }),
    is_public: z.boolean().meta({ description: 'Whether every user of the workspace may read the conversation.' }),
    collections: z.array(Id).meta({ description: 'Collections that the conversation is about.' }),
    meta_data: AnyObject.meta({ description: 'Free-form JSON object of the client.' }),
    settings: AnyObject.meta({ description: 'Free-form JSON object of the client; the service does not act on it.' }),
    ended_at: IsoTime.nullable().meta({
      description: 'Time at which the conversation ended; null while it is active.',
    }),
    owner_id: z
      .string()
      .nullable()
      .meta({ description: 'User to whom the conversation belongs; null when no user was named.' }),
    workspace_id: WorkspaceId,
    created_by: CreatedBy,
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'Conversation' });
export type Conversation = z.infer<typeof Conversation>;

const Title = textField(255).nullable();
/** Collections that a client adds to a conversation at once. Answers add others. */
export const MAX_ADDED_COLLECTIONS = 100;
/** A list with those that answers have added can be sent back. */
const MAX_COLLECTIONS = 10_000;
const unique = (ids: readonly string[]) => [...new Set(ids)];

export const CreateConversationRequest = z
  .strictObject({
    title: Title.default(null).meta({ description: 'Title, at most 255 characters.' }),
    is_public: z
      .boolean()
      .default(false)
      .meta({ description: 'Whether every user of the workspace may read the conversation.' }),
    collections: z.array(Id).max(MAX_ADDED_COLLECTIONS).default([]).transform(unique).meta({
      description: 'Collections that the conversation is about, at most 100.',
    }),
    meta_data: JsonObject.default({}).meta({ description: 'Free-form JSON object, at most 65,536 characters.' }),
    settings: JsonObject.default({}).meta({
      description: 'Free-form JSON object, at most 65,536 characters; the service does not act on it.',
    }),
    owner_id: textField(255, 1).optional().meta({
      description:
        'User to whom the conversation belongs. Only with an API key; with a token, it is the user of the token.',
    }),
  })
  .meta({ id: 'CreateConversationRequest' });
export type CreateConversationRequest = z.infer<typeof CreateConversationRequest>;

export const UpdateConversationRequest = z
  .strictObject({
    title: Title.optional().meta({ description: 'New title, at most 255 characters; null removes it.' }),
    is_public: z
      .boolean()
      .optional()
      .meta({ description: 'Whether every user of the workspace may read the conversation.' }),
    collections: z
      .array(Id)
      .max(MAX_COLLECTIONS)
      .transform(unique)
      .optional()
      .meta({
        description:
          'Collections that the conversation is about; replaces the previous list. At most 100 that are not in the previous one. ' +
          'A collection from which a stored answer was written may be left out only if `removed_collections` names it.',
      }),
    removed_collections: z
      .array(Id)
      .max(MAX_COLLECTIONS)
      .optional()
      .meta({
        description:
          'Collections that `collections` leaves out on purpose, although answers in the conversation were written from them. ' +
          'Whoever has access to the remaining collections can then read these answers.',
      }),
    meta_data: JsonObject.optional().meta({
      description: 'Free-form JSON object, at most 65,536 characters; replaces the previous one.',
    }),
    settings: JsonObject.optional().meta({
      description: 'Free-form JSON object, at most 65,536 characters; replaces the previous one.',
    }),
  })
  .meta({ id: 'UpdateConversationRequest' });
export type UpdateConversationRequest = z.infer<typeof UpdateConversationRequest>;

export const ConversationList = z
  .object({
    data: z
      .array(Conversation)
      .meta({ description: 'Conversations: newest first, or with `search` the most similar titles first.' }),
    total_count: z.int().meta({ description: 'All conversations that match the filters' }),
  })
  .meta({ id: 'ConversationList' });
export type ConversationList = z.infer<typeof ConversationList>;
