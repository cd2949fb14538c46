/** Texts of answers and messages. */
export const markdownTexts = {
  mark: (number: number, source: string) => `Source ${number}: ${source}`,
  table: 'Table',
} as const;
