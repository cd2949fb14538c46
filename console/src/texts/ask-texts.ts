/** Texts of the page to ask questions. */
export const askTexts = {
  title: 'Ask',
  description: 'Answers a question from your documents, and shows the passages that the answer rests on.',
  question: 'Question',
  placeholder: 'What would you like to know?',
  questionHelp: 'Enter asks, Shift and Enter begins a new line.',
  submit: 'Ask',
  stop: 'Stop',
  looking: 'Looking for passages …',
  writing: (count: number) => (count === 1 ? 'Writing from 1 passage …' : `Writing from ${count} passages …`),
  stopped: 'Stopped. What was written until then is above.',
  took: (seconds: string, model: string | null) => (model === null ? `${seconds} s` : `${model}, ${seconds} s`),
  notes: {
    model: 'A model wrote this from the passages below. Check what matters.',
    sentences:
      'No chat model is configured, so these are the best sentences and rows of tables of the documents, as they stand there.',
    length: 'The answer is cut off, because the model reached its limit.',
    contentFilter: 'A filter of the model has ended the answer.',
  },
  nothingFound: {
    title: 'The documents say nothing about it',
    advice: 'Ask in other words, remove filters, or choose more collections.',
  },
  sources: 'Sources',
  others: 'Passages that were found as well',
  noQuote: 'No sentence of this passage has words of the statement. Check this citation.',
  conversation: {
    label: 'Conversation',
    help: 'A question in a conversation is understood with what was said before, and stored there with its answer.',
    alone: 'None: the question stands alone',
    fresh: 'A new conversation',
    recent: 'The newest active ones',
    none: 'None of the newest has this title. Open it under Conversations and ask from there.',
    untitled: (time: string) => `Without a title, ${time}`,
    searchedFor: (query: string) => `Searched for: ${query}`,
    stored: 'Question and answer were added to a conversation.',
    open: 'Open the conversation',
  },
  earlier: {
    title: 'Asked before',
    explanation: 'Kept in this tab until you sign out, load it anew or close it.',
    forget: 'Forget these',
  },
  empty: {
    title: 'Ask your documents',
    advice: 'The answer names its sources. Without a choice of collections, all that this key reaches are asked.',
  },
} as const;
