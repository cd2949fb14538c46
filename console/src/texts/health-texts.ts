/** Texts of the page of the state of the service. */
export const healthTexts = {
  title: 'Health',
  description: 'Whether everything that Loci needs answers. Looked at every 10 seconds.',
  status: {
    ok: { title: 'Everything works', advice: 'All dependencies answer.' },
    degraded: { title: 'Some things do not work', advice: 'What they are is below. Requests are accepted.' },
    unavailable: {
      title: 'Loci cannot work',
      advice: 'The database does not answer. Requests are refused until it does.',
    },
    stopping: { title: 'Loci is stopping', advice: 'This process was told to stop; it answers what it has begun.' },
  },
  dependencies: 'Dependencies',
  dependency: {
    postgres: { name: 'Postgres', use: 'Database' },
    weaviate: { name: 'Weaviate', use: 'Search index' },
    temporal: { name: 'Temporal', use: 'Ingestion, and everything that is tried again' },
    blobs: { name: 'Blob store', use: 'Uploaded files' },
  },
  answers: 'Answers',
  doesNotAnswer: 'Does not answer',
  models: 'Models',
  embedder: (name: string, dimensions: number) => `${name}, ${dimensions} dimensions`,
  default: 'For new collections',
  reranker: 'Reranker',
  noReranker: 'None',
  versions: 'Versions',
  console: 'Console',
} as const;
