/** Texts of what is being uploaded. */
export const uploadsTexts = {
  add: 'Add',
  files: 'Files …',
  folder: 'A folder …',
  address: 'Web addresses …',
  drop: 'Drop files or folders to add them to this collection',
  title: (done: number, total: number) => `Uploads: ${done} of ${total} done`,
  dismiss: 'Remove the finished ones from this list',
  retry: (name: string) => `Send ${name} again`,
  more: (count: string) => `and ${count} more`,
  state: {
    waiting: 'Waiting to be sent',
    sending: 'Sending',
    accepted: 'Stored, waiting for its turn',
    duplicate: 'Was already there',
    failed: 'Not accepted',
  },
  addresses: {
    title: 'Add web addresses',
    field: 'Addresses',
    fieldHelp: 'One on each line. The pages are fetched by the service.',
    crawl: 'Follow their links within the same site',
    submit: 'Add',
  },
  unreachable: 'The service could not be reached. Check the connection, then send it again.',
  aborted: 'Sending was stopped.',
} as const;
