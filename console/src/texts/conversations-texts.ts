/** Texts of the pages of all conversations and of one. */
export const conversationsTexts = {
  title: 'Conversations',
  description: 'Messages that programs and people exchanged, with the summary that Loci keeps of each conversation.',
  start: 'New conversation',
  untitled: 'Without a title',
  filter: {
    search: 'Filter by title',
    user: 'User',
    status: 'Status',
    anyStatus: 'Any status',
  },
  status: { active: 'Active', ended: 'Ended', archived: 'Archived' },
  column: { title: 'Conversation', user: 'User', status: 'Status', updated: 'Changed', actions: 'Actions' },
  public: 'For all users',
  actions: (title: string) => `Actions of the conversation “${title}”`,
  change: 'Rename',
  end: 'End',
  archive: 'Archive',
  remove: 'Delete',
  empty: {
    title: 'There are no conversations yet',
    advice: 'Start one here, or let your program send messages with POST /messages.',
    adviceReading: 'They appear here when programs send messages.',
  },
  nothingFound: {
    title: 'No conversation matches',
    advice: 'Change or remove the title, the user or the status.',
    clear: 'Remove the filter',
  },
  form: {
    title: 'Title',
    titleHelp: 'Optional.',
    user: 'User',
    userHelp: 'The id by which your program knows the user to whom it belongs. Optional.',
    public: 'Every user of the workspace may read it',
    message: 'First message',
    messageHelp: 'Its first line becomes the title.',
  },
  starting: { title: 'Start a conversation', submit: 'Start' },
  changing: { title: 'Rename the conversation', submit: 'Save' },
  ending: {
    title: (title: string) => `End “${title}”?`,
    explanation: 'An ended conversation takes no more messages. This cannot be undone.',
  },
  archiving: {
    title: (title: string) => `Archive “${title}”?`,
    explanation: 'An archived conversation can only be read and deleted. This cannot be undone.',
  },
  removing: {
    title: (title: string) => `Delete “${title}”?`,
    explanation:
      'It is deleted with all its messages, and cannot be brought back. Memories that were found in them stay.',
  },
} as const;

/** Texts of one conversation. */
export const threadTexts = {
  back: 'All conversations',
  ask: 'Ask in this conversation',
  facts: {
    user: (user: string) => `User ${user}`,
    started: 'Started',
    messages: (count: number, text: string) => (count === 1 ? '1 message' : `${text} messages`),
    about: 'About',
  },
  summary: 'Summary',
  noSummary: 'There is no summary yet. Loci writes one as the conversation grows, and when it ends.',
  list: 'Messages',
  older: 'Show older messages',
  newerLeftOut: 'Newer messages are left out, so that the page stays fast.',
  toNewest: 'To the newest messages',
  empty: {
    title: 'Nothing has been said yet',
    advice: 'Write the first message below.',
    adviceReading: 'Messages appear here when programs send them.',
  },
  notReadable: {
    title: 'This key may not read messages',
    advice: 'It needs: messages:read. Ask whoever manages the keys of this workspace.',
  },
  role: {
    user: 'User',
    assistant: 'Assistant',
    system: 'System',
    developer: 'Developer',
    tool: 'Tool',
  } as Readonly<Record<string, string>>,
  replyTo: (start: string | null) => (start === null ? 'Reply to an earlier message' : `Reply to: ${start}`),
  cited: 'open the passage',
  whole: (characters: string) => `Show all ${characters} characters`,
  toolCalls: (count: number) => (count === 1 ? '1 tool call' : `${count} tool calls`),
  attachments: (count: number) => (count === 1 ? '1 attachment' : `${count} attachments`),
  data: 'Data of the message',
  cut: '… The rest is left out here; the API returns it whole.',
  write: {
    message: 'Message',
    help: 'Control and Enter sends it.',
    role: 'Role of the sender',
    remember: 'Find in it what is worth remembering',
    submit: 'Send',
  },
  closed: {
    ended: 'This conversation has ended and takes no more messages.',
    archived: 'This conversation is archived and takes no more messages.',
  },
} as const;
