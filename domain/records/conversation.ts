import { z } from 'zod';
import { CONVERSATION_STATUSES } from '#domain/conversations/conversation-status.ts';
import { AnyObject, Id, IsoTime, JsonObject, textField } from './fields.ts';

/** A conversation in API responses. */
export const Conversation = z
  .object({
    id: Id,
    title: z.string().nullable(),
    summary: z
      .string()
      .nullable()
      .meta({ description: 'Summary that the service writes, and updates as the conversation grows.' }),
    status: z.enum(CONVERSATION_STATUSES),
    is_public: z.boolean().meta({ description: 'Whether every user of the workspace may read the conversation.' }),
    collections: z.array(Id),
    meta_data: AnyObject,
    settings: AnyObject,
    ended_at: IsoTime.nullable(),
    owner_id: z.string().nullable(),
    workspace_id: Id,
    created_by: z.string().nullable(),
    created_at: IsoTime,
    updated_at: IsoTime,
  })
  .meta({ id: 'Conversation' });
export type Conversation = z.infer<typeof Conversation>;

const Title = textField(255).nullable();
const Collections = z.array(Id).max(100);

export const CreateConversationRequest = z
  .strictObject({
    title: Title.default(null),
    is_public: z.boolean().default(false),
    collections: Collections.default([]),
    meta_data: JsonObject.default({}),
    settings: JsonObject.default({}),
    owner_id: textField(255, 1).optional().meta({
      description:
        'User to whom the conversation belongs. Only with an API key; with a token, it is the user of the token.',
    }),
  })
  .meta({ id: 'CreateConversationRequest' });
export type CreateConversationRequest = z.infer<typeof CreateConversationRequest>;

export const UpdateConversationRequest = z
  .strictObject({
    title: Title.optional(),
    is_public: z.boolean().optional(),
    collections: Collections.optional(),
    meta_data: JsonObject.optional(),
    settings: JsonObject.optional(),
  })
  .meta({ id: 'UpdateConversationRequest' });
export type UpdateConversationRequest = z.infer<typeof UpdateConversationRequest>;

export const ConversationList = z
  .object({
    data: z.array(Conversation),
    total_count: z.int().meta({ description: 'All conversations that match the filters' }),
  })
  .meta({ id: 'ConversationList' });
export type ConversationList = z.infer<typeof ConversationList>;
