/** Texts of deletions and their receipts. */
export const deletionTexts = {
  submit: 'Delete',
  /** Asks for the name of what is deleted. */
  confirm: (name: string) => `Type ${name} to confirm`,
  running: 'It is no longer found. The rest is being removed …',
  completed: 'Everything is removed, and it was verified that nothing is left.',
  accepted: 'It is no longer found. This key may not read the receipt of the deletion.',
  receipt: 'Receipt',
  contents: 'Contents',
  chunks: 'Chunks',
  objects: 'Index entries',
  files: 'Files',
  collections: 'Collections',
  conversations: 'Conversations',
  messages: 'Messages',
  memories: 'Memories',
  verified: 'Verified',
} as const;
