/** The keys of the query cache: the first word names what changes together, so that it can be loaded anew together. */
export const queryKeys = {
  caller: (identity?: string) => (identity === undefined ? (['caller'] as const) : (['caller', identity] as const)),
  signIn: () => ['sign-in'] as const,
  workspaces: (ids: readonly string[]) => ['workspaces', ids] as const,
  readiness: () => ['readiness'] as const,
  collections: (filters?: object) =>
    filters === undefined ? (['collections'] as const) : (['collections', filters] as const),
  collection: (id: string) => ['collection', id] as const,
  contents: (collectionId: string, filters?: object) =>
    filters === undefined ? (['contents', collectionId] as const) : (['contents', collectionId, filters] as const),
  content: (id: string) => ['content', id] as const,
  memories: (filters?: object) => (filters === undefined ? (['memories'] as const) : (['memories', filters] as const)),
  memoryHistory: (id: string) => ['memories', 'history', id] as const,
  conversations: (filters?: object) =>
    filters === undefined ? (['conversations'] as const) : (['conversations', filters] as const),
  conversation: (id?: string) => (id === undefined ? (['conversation'] as const) : (['conversation', id] as const)),
  messages: (conversationId: string) => ['messages', conversationId] as const,
  keys: () => ['keys'] as const,
  connections: (filters?: object) =>
    filters === undefined ? (['connections'] as const) : (['connections', filters] as const),
  connection: (id: string) => ['connections', 'one', id] as const,
  authorization: (connectionId: string) => ['authorization', connectionId] as const,
  oauthProviders: () => ['oauth-providers'] as const,
  oauthClients: () => ['oauth-clients'] as const,
  webhooks: () => ['webhooks'] as const,
  webhook: (id: string) => ['webhooks', id] as const,
  deliveries: (filters?: object) =>
    filters === undefined ? (['deliveries'] as const) : (['deliveries', filters] as const),
  delivery: (id: string) => ['deliveries', 'one', id] as const,
  uploads: (filters?: object) => (filters === undefined ? (['uploads'] as const) : (['uploads', filters] as const)),
  /** Steering an upload changes the list as well, and the other way round. */
  upload: (id: string, part?: string) =>
    part === undefined ? (['uploads', 'one', id] as const) : (['uploads', 'one', id, part] as const),
  jobs: (kind: 'reembed' | 'compress' | 'deletions', filters?: object) =>
    filters === undefined ? (['jobs', kind] as const) : (['jobs', kind, filters] as const),
  job: (kind: 'reindex' | 'compress', id: string) => ['jobs', kind, id] as const,
  service: () => ['service'] as const,
  deletion: (id: string) => ['deletion', id] as const,
  chunk: (id: string) => ['chunk', id] as const,
  /** What was asked in this tab; it is not loaded. */
  asked: () => ['asked'] as const,
  search: (request: object) => ['search', request] as const,
};

/** The key of every request whose answer has a secret that is shown once. */
export const SECRET_REQUEST = ['secret'] as const;
