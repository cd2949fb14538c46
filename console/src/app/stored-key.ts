const NAME = 'loci.api-key';

/** The API key, kept for this tab only: the browser forgets it with the tab. */
export const storedKey = {
  read: (): string | null => sessionStorage.getItem(NAME),
  write: (apiKey: string): void => sessionStorage.setItem(NAME, apiKey),
  remove: (): void => sessionStorage.removeItem(NAME),
};
