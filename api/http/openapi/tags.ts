/** The groups of operations in the OpenAPI document, in the order of the page at `/docs`, and what each is about. */
export const TAGS = {
  Uploads: 'Send files, texts and URLs to a collection, follow their ingestion, and pause, resume or cancel it.',
  Contents: 'The documents of collections: metadata, status, original file and extracted text; retry, replace, delete.',
  Chunks: 'The passages that contents are split into, which searches find.',
  Collections: 'Collections of contents, how they are embedded, and searching them.',
  Answers: 'Questions answered from the contents, with checked citations; also in the form of the OpenAI API.',
  Deletions: 'Receipts of deletions: what was removed, and when it was verified.',
  Access: 'What the caller of a request is and may do, and signing in to the console.',
  'API keys': 'Keys with permissions, limits and expiry.',
  Conversations: 'Threads of messages.',
  Messages: 'Store the messages of a conversation, and have facts extracted from them as memories.',
  Memories: 'Facts about users: versioned, searchable as of any time, exportable, and forgotten on request.',
  Workspaces: 'Tenants of this instance, and their members.',
  Connections: 'Connections to other services, with sealed credentials.',
  Webhooks: 'Receivers of events, and the log of what was sent to them. The messages are described under `webhooks`.',
  Compress: 'Shorten long texts for the context of a model.',
  OAuth: 'Authorize connections with OAuth, and keep their tokens fresh.',
  Integrations: 'The catalogue of model providers and their models.',
  Process: 'Probes and metrics of this process.',
} as const;
export type Tag = keyof typeof TAGS;
