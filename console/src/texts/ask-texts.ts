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
    sentences: 'No chat model is configured, so these are the best sentences of the documents, unchanged.',
    length: 'The answer is cut off, because the model reached its limit.',
    contentFilter: 'A filter of the model has ended the answer.',
  },
  nothingFound: {
    title: 'The documents say nothing about it',
    advice: 'Ask in other words, remove filters, or choose more collections.',
  },
  mark: (number: number, source: string) => `Source ${number}: ${source}`,
  sources: 'Sources',
  others: 'Passages that were found as well',
  noQuote: 'No sentence of this passage has words of the statement. Check this citation.',
  empty: {
    title: 'Ask your documents',
    advice: 'The answer names its sources. Without a choice of collections, all that this key reaches are asked.',
  },
} as const;
