import { z } from 'zod';
import { cursorListOf } from './cursor-list.ts';
import {
  AnyObject,
  CreatedAt,
  Id,
  IsoTime,
  IsoTimeInput,
  JsonObject,
  textField,
  UpdatedAt,
  WorkspaceId,
} from './fields.ts';

/** A message in API responses. */
export const Message = z
  .object({
    id: Id.meta({ description: 'Id of the message.' }),
    conversation_id: Id.meta({ description: 'Conversation that the message belongs to.' }),
    sender_id: z.string().nullable().meta({ description: 'Who sent the message, as the client named them.' }),
    content: z.string().meta({ description: 'Text of the message, at most 262,144 characters.' }),
    workspace_id: WorkspaceId,
    created_at: CreatedAt,
    updated_at: UpdatedAt,
    role: z.string().meta({ description: 'Role of the sender: `user`, `assistant`, `system`, or another name.' }),
    tool_calls: z.array(AnyObject).meta({ description: 'Tool calls of the message, as the client sent them.' }),
    message_type: z.string().meta({ description: 'Kind of the message, as the client named it.' }),
    tags: z.array(z.string()).meta({ description: 'Words that say what the message is about.' }),
    checksum: z.string().meta({ description: 'SHA-256 of `content` in UTF-8, in hexadecimal.' }),
    attachments: z.array(AnyObject).meta({ description: 'Attachments of the message, as the client sent them.' }),
    parent_message_id: Id.nullable().meta({
      description: 'Message of the same conversation that this one replies to.',
    }),
    meta_data: AnyObject.meta({ description: 'Free-form JSON object of the client.' }),
    sent_at: IsoTime.meta({
      description:
        'Time at which the message was sent, from `created_at` of the request; by default the time at which it was stored.',
    }),
    owner_id: z.string().nullable().meta({
      description: 'User of the token that sent the message; with an API key, the owner of the conversation.',
    }),
  })
  .meta({ id: 'Message' });
export type Message = z.infer<typeof Message>;

/** Maximum length of the text of a message. */
const MAX_MESSAGE_CHARACTERS = 262_144;
/** Maximum number of messages in one request. */
const MAX_MESSAGES = 1_000;

const Name = textField(100, 1);
const Objects = z.array(JsonObject).max(100);

/** Fields of a message beside its text. */
const MessageFields = z.object({
  sender_id: textField(255, 1).nullable().meta({
    description:
      'Who sends the message, 1 to 255 characters. With the token of a user and role `user`: that user, also by default.',
  }),
  created_at: IsoTimeInput.meta({ description: 'Time at which the message was sent; now by default.' }),
  role: Name.meta({
    description:
      'Role of the sender: `user`, `assistant`, `system`, or another name of 1 to 100 characters. `system` and ' +
      '`developer` need an API key.',
  }),
  message_type: Name.meta({ description: 'Kind of the message, 1 to 100 characters.' }),
  tool_calls: Objects.meta({
    description: 'Tool calls of the message: at most 100 JSON objects, which are stored as they are.',
  }),
  parent_message_id: Id.nullable().meta({
    description: 'Message of the same conversation that this one replies to.',
  }),
  tags: z
    .array(Name)
    .max(100)
    .meta({ description: 'Words that say what the message is about: at most 100, each of 1 to 100 characters.' }),
  meta_data: JsonObject.meta({ description: 'Free-form JSON object, at most 65,536 characters.' }),
  attachments: Objects.meta({
    description: 'Attachments of the message: at most 100 JSON objects, which are stored as they are.',
  }),
});
const { shape } = MessageFields;

export const NewMessage = z
  .strictObject({
    content: textField(MAX_MESSAGE_CHARACTERS).meta({
      description: 'Text of the message, at most 262,144 characters.',
    }),
    sender_id: shape.sender_id.default(null),
    created_at: shape.created_at.optional(),
    role: shape.role.default('user'),
    message_type: shape.message_type.default('text'),
    tool_calls: shape.tool_calls.default([]),
    parent_message_id: shape.parent_message_id.default(null),
    tags: shape.tags.default([]),
    meta_data: shape.meta_data.default({}),
    attachments: shape.attachments.default([]),
  })
  .meta({ id: 'NewMessage' });
export type NewMessage = z.infer<typeof NewMessage>;

const Where = {
  conversation_id: Id.optional().meta({
    description: 'Conversation to add to. Without it, a new conversation is created.',
  }),
  enable_memories: z
    .boolean()
    .default(false)
    .meta({ description: 'Whether to extract memories from the messages of users.' }),
};
const Text = textField(MAX_MESSAGE_CHARACTERS);

/** Orders of a list of messages. */
export const MESSAGE_ORDERS = ['oldest_first', 'newest_first'] as const;
export type MessageOrder = (typeof MESSAGE_ORDERS)[number];

const Contents = z.union(
  [
    Text,
    NewMessage,
    z
      .array(z.union([Text, NewMessage], { error: 'Send a text or a message object' }))
      .min(1)
      .max(MAX_MESSAGES),
  ],
  { error: 'Send a text, a message object, or an array of both' },
);
type Contents = z.infer<typeof Contents>;

/**
 * Messages of one conversation: `content` is a text, a message, or an array of texts and messages. Beside a text, the group has the
 * other fields of the message; those of a message object are inside of it.
 */
const MessageGroup = z
  .strictObject({
    ...Where,
    ...MessageFields.partial().shape,
    content: Contents.meta({
      description:
        'A text, a message, or an array of up to 1,000 texts and messages. A text is a message with the role `user`, unless the ' +
        'fields of a message are beside it.',
    }),
  })
  .meta({ id: 'MessageGroup' })
  .superRefine(requireFieldsOfText)
  .transform(({ conversation_id, enable_memories, content, ...fields }): MessageGroup => ({
    conversation_id,
    enable_memories,
    content: withFields(content, fields),
  }));
export type MessageGroup = { conversation_id?: string | undefined; enable_memories: boolean; content: Contents };

function requireFieldsOfText(group: { content: Contents }, context: z.RefinementCtx): void {
  if (typeof group.content === 'string') return;
  const message = 'Beside a text only; with a message object or an array, send it in each message';
  for (const [name, value] of Object.entries(group)) {
    if (!(name in shape) || value === null || value === undefined) continue;
    context.addIssue({ code: 'custom', path: [name], message, params: { type: 'unrecognized_keys' } });
  }
}

function withFields(content: Contents, fields: z.infer<ReturnType<typeof MessageFields.partial>>): Contents {
  if (typeof content !== 'string' || Object.keys(fields).length === 0) return content;
  return NewMessage.parse({ ...fields, content });
}

/** One group of messages, or an array of groups: either all of them are stored or none. */
export const CreateMessagesRequest = z.preprocess(
  // First, because each message and group is compared with all that it may be, however many there are.
  requireFewMessages,
  z.union([MessageGroup, z.array(MessageGroup).min(1).max(MAX_MESSAGES)], {
    error: 'Send an object with content, or an array of such objects',
  }),
);
export type CreateMessagesRequest = z.infer<typeof CreateMessagesRequest>;

function requireFewMessages(body: unknown, context: z.RefinementCtx): unknown {
  const groups: readonly unknown[] = Array.isArray(body) ? body : [body];
  const count = groups.reduce<number>((sum, group) => sum + countOf(group), 0);
  if (count <= MAX_MESSAGES) return body;
  const message = `At most ${MAX_MESSAGES} messages in one request`;
  context.addIssue({ code: 'custom', message, params: { type: 'too_big' } });
  return z.NEVER;
}

/** The number of messages of what may be a group. A group without any counts as well. */
function countOf(group: unknown): number {
  const content = typeof group === 'object' && group !== null && 'content' in group ? group.content : undefined;
  return Array.isArray(content) ? Math.max(1, content.length) : 1;
}

/** Returns a message with this text and default values. */
export function messageOfText(content: string): NewMessage {
  return NewMessage.parse({ content });
}

export const MessageList = cursorListOf(Message).meta({ id: 'MessageList' });
export type MessageList = z.infer<typeof MessageList>;
