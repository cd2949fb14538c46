import { z } from 'zod';
import { cursorListOf } from './cursor-list.ts';
import { AnyObject, Id, IsoTime, JsonObject, IsoTimeInput, textField } from './fields.ts';

/** A message in API responses. */
export const Message = z
  .object({
    id: Id,
    conversation_id: Id,
    sender_id: z.string().nullable(),
    content: z.string(),
    workspace_id: Id,
    created_at: IsoTime,
    updated_at: IsoTime,
    role: z.string(),
    tool_calls: z.array(AnyObject),
    message_type: z.string(),
    tags: z.array(z.string()),
    checksum: z.string().meta({ description: 'SHA-256 of `content` in UTF-8, in hexadecimal.' }),
    attachments: z.array(AnyObject),
    parent_message_id: Id.nullable(),
    meta_data: AnyObject,
    sent_at: IsoTime,
    owner_id: z.string().nullable(),
  })
  .meta({ id: 'Message' });
export type Message = z.infer<typeof Message>;

/** Maximum length of the text of a message. */
const MAX_MESSAGE_CHARACTERS = 262_144;
/** Maximum number of messages in one request. */
export const MAX_MESSAGES = 1_000;

const Name = textField(100, 1);
const Objects = z.array(JsonObject).max(100);

/** Limited to the years that `IsoTime` can represent. */
const SentAt = IsoTimeInput.refine((text) => text > '0001-01-02' && text < '9999-12-31', {
  message: 'Must be within the years 1 to 9999',
}).meta({ description: 'Time at which the message was sent; now by default.' });

export const NewMessage = z
  .strictObject({
    content: textField(MAX_MESSAGE_CHARACTERS),
    sender_id: textField(255, 1).nullable().default(null),
    created_at: SentAt.optional(),
    role: Name.default('user'),
    message_type: Name.default('text'),
    tool_calls: Objects.default([]),
    parent_message_id: Id.nullable().default(null),
    tags: z.array(Name).max(100).default([]),
    meta_data: JsonObject.default({}),
    attachments: Objects.default([]),
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

/** Messages of one conversation: `content` is a text, a message, or an array of texts and messages. */
const MessageGroup = z
  .strictObject({
    ...Where,
    content: z.union([
      Text,
      NewMessage,
      z
        .array(z.union([Text, NewMessage]))
        .min(1)
        .max(MAX_MESSAGES),
    ]),
  })
  .meta({ id: 'MessageGroup' });
export type MessageGroup = z.infer<typeof MessageGroup>;

/** One group of messages, or an array of groups: either all of them are stored or none. */
export const CreateMessagesRequest = z.union([MessageGroup, z.array(MessageGroup).min(1).max(MAX_MESSAGES)]);
export type CreateMessagesRequest = z.infer<typeof CreateMessagesRequest>;

/** Returns a message with this text and default values. */
export function messageOfText(content: string): NewMessage {
  return NewMessage.parse({ content });
}

export const MessageList = cursorListOf(Message).meta({ id: 'MessageList' });
export type MessageList = z.infer<typeof MessageList>;
