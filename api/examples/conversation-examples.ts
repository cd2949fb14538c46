import type { Conversation } from '#domain/records/conversation.ts';
import type { Message } from '#domain/records/message.ts';
import { CREATED, EXAMPLE_KEY, exampleIds, UPDATED } from './example-ids.ts';
import { lastPageOf, type OperationExample } from './operation-example.ts';

const conversation: Conversation = {
  id: exampleIds.conversation,
  title: 'Planning the move',
  summary: null,
  status: 'active',
  is_public: false,
  collections: [],
  meta_data: { channel: 'chat' },
  settings: {},
  ended_at: null,
  owner_id: exampleIds.user,
  workspace_id: exampleIds.workspace,
  created_by: EXAMPLE_KEY,
  created_at: CREATED,
  updated_at: CREATED,
};

const message: Message = {
  id: exampleIds.message,
  conversation_id: exampleIds.conversation,
  sender_id: exampleIds.user,
  content: 'I moved to Oslo.',
  workspace_id: exampleIds.workspace,
  created_at: CREATED,
  updated_at: CREATED,
  role: 'user',
  tool_calls: [],
  message_type: 'text',
  tags: [],
  checksum: 'bffe1ccb17716151bfce534b43763fec4dea8cffa6a2e080359909e554ce55c8',
  attachments: [],
  parent_message_id: null,
  meta_data: {},
  sent_at: CREATED,
  owner_id: exampleIds.user,
};

const withSummary = { ...conversation, summary: 'Ada moved to Oslo.', updated_at: UPDATED };

/** Examples of the operations on conversations and messages. */
export const conversationExamples = {
  createConversation: {
    body: { title: 'Planning the move', owner_id: exampleIds.user, meta_data: { channel: 'chat' } },
    response: conversation,
  },
  listConversations: { response: { data: [withSummary], total_count: 1 } },
  getConversation: { response: withSummary },
  updateConversation: {
    body: { title: 'Planning the move to Oslo', is_public: true },
    response: { ...withSummary, title: 'Planning the move to Oslo', is_public: true },
  },
  endConversation: { response: { ...withSummary, status: 'ended', ended_at: UPDATED } },
  archiveConversation: { response: { ...withSummary, status: 'archived', ended_at: UPDATED } },
  createMessages: {
    body: {
      content: { content: 'I moved to Oslo.', sender_id: exampleIds.user, role: 'user' },
      enable_memories: true,
    },
    response: [message],
  },
  listMessages: { response: lastPageOf(message) },
} satisfies Record<string, OperationExample>;
