import { useEffect } from 'react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { createBrowserClient, dataOf } from '@loci/client/browser';
import { queryKeys } from '../../api/query-keys.ts';
import { PlainError } from '../../components/plain-error.ts';
import { shellTexts } from '../../texts/shell-texts.ts';
import type { TokenCredentials } from '../credentials.ts';
import { takeReturnedAddress } from './returned-address.ts';

/** Signing in at the issuer of the users' tokens, where one is configured: `issuer` is null where not, or not yet known. */
export function useIssuerSignIn({
  isNeeded,
  onToken,
}: {
  isNeeded: boolean;
  onToken: (found: TokenCredentials) => void;
}) {
  const { history } = useRouter();
  const issuer = useIssuer(isNeeded);
  const going = useMutation({
    mutationFn: async () => {
      if (issuer !== null) await explained(issuer, async () => (await import('./go-to-issuer.ts')).goToIssuer(issuer));
    },
  });
  const redeeming = useMutation({
    mutationFn: async (returned: URL) => {
      if (issuer === null) throw new Error('No issuer is configured.');
      return explained(issuer, async () => (await import('./go-to-issuer.ts')).redeemCode(issuer, returned));
    },
    onSuccess: ({ credentials, returnTo }) => {
      history.replace(returnTo);
      onToken(credentials);
    },
  });
  const { mutate } = redeeming;
  useEffect(() => {
    if (issuer === null) return;
    const returned = takeReturnedAddress();
    if (returned !== null) mutate(returned);
  }, [issuer, mutate]);
  return {
    issuer,
    error: redeeming.error ?? going.error,
    isPending: redeeming.isPending || going.isPending,
    go: () => going.mutate(),
  };
}

/** Runs a step at the issuer. @throws PlainError which names the issuer, and why it refused or did not answer */
export async function explained<Result>({ issuer }: { issuer: string }, step: () => Promise<Result>): Promise<Result> {
  try {
    return await step();
  } catch (error) {
    const { host } = new URL(issuer);
    throw new PlainError(shellTexts.signIn.issuerFailed(host, error instanceof Error ? error.message : String(error)));
  }
}

/** The configured issuer; null where there is none, or as long as it is not known. */
export function useIssuer(isNeeded: boolean) {
  return useSignInMethods(isNeeded).data?.oidc ?? null;
}

/** How people can sign in. */
export function useSignInMethods(isNeeded: boolean) {
  return useQuery({
    queryKey: queryKeys.signIn(),
    enabled: isNeeded,
    staleTime: Infinity,
    queryFn: async ({ signal }) => {
      const loci = createBrowserClient({ baseUrl: location.origin });
      return dataOf(loci.api.GET('/api/v1/sign-in', { signal }));
    },
  });
}
