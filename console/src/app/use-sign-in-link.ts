import { useEffect } from 'react';
import { useMutation } from '@tanstack/react-query';
import { createBrowserClient, dataOf } from '@loci/client/browser';
import { takeSignInCode } from './sign-in-code.ts';

/** Exchanges the code of a sign-in link for an API key of its own, if such a link is opened in this tab. */
export function useSignInLink(onKey: (apiKey: string) => void) {
  const redeeming = useMutation({
    mutationFn: async (code: string) => {
      // A code never works twice: trying again would only hide why it failed.
      const loci = createBrowserClient({ baseUrl: location.origin, retries: 0 });
      return dataOf(loci.api.POST('/api/v1/sign-in', { body: { code } }));
    },
    onSuccess: ({ api_key: apiKey }) => onKey(apiKey),
  });
  const { mutate } = redeeming;
  useEffect(() => {
    const redeem = () => {
      const code = takeSignInCode();
      if (code !== null) mutate(code);
    };
    redeem();
    // A link that is pasted into a tab at the same address loads nothing.
    addEventListener('hashchange', redeem);
    return () => removeEventListener('hashchange', redeem);
  }, [mutate]);
  return redeeming;
}
