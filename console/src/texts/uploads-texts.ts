const MAX_NAMES = 5;

/** Texts of what is being uploaded. */
export const uploadsTexts = {
  add: 'Add',
  files: 'Files …',
  folder: 'A folder …',
  address: 'Web addresses …',
  drop: 'Drop files or folders to add them to this collection',
  unreadable: (paths: readonly string[]) =>
    `The browser could not read ${namesOf(paths)}. Check that you may open it on this computer, then drop it again.`,
  nothingDropped: 'There is no file in what you dropped.',
  title: (done: number, total: number) => `Uploads: ${done} of ${total} done`,
  dismiss: 'Clear this list, except for what is still to be sent',
  stop: 'Stop sending',
  retryAll: 'Send all that failed again',
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
  away: 'The service cannot be reached. It goes on when the service is back.',
  gone: 'The browser can no longer read it. It was moved, deleted or changed since it was chosen: add it again.',
  tooLarge:
    'It is more than the service, or a proxy in front of it, accepts in one request. Whoever operates them can raise the limit.',
  aborted: 'Sending was stopped.',
} as const;

function namesOf(paths: readonly string[]): string {
  const names = paths.slice(0, MAX_NAMES).map((path) => `“${path}”`);
  const left = paths.length - names.length;
  return left === 0 ? names.join(', ') : `${names.join(', ')} and ${left} more`;
}
