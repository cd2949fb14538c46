/** Texts of what the pages to search and to ask share. */
export const passagesTexts = {
  collections: {
    label: 'Collections',
    all: 'All collections',
    none: 'No collection has this name',
    clear: 'Search all collections',
  },
  page: (page: number) => `Page ${page}`,
  title: 'Passage',
  metadata: 'Metadata of the document',
  openText: 'Open the document',
  gone: {
    title: 'This passage is no longer there',
    explanation: 'Its document was deleted, or ingested again and split anew, since the answer was written.',
  },
  failed: 'Not every collection could be searched',
} as const;
