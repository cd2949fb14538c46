const EXPLANATIONS: Readonly<Record<string, string>> = {
  no_client: 'No OAuth client can be used: check `config.oauth`, or put a client for the provider.',
  bad_endpoint: 'The endpoint of the provider cannot be used: it has to be https.',
  endpoint_refused: 'The address of the provider must not be reached: an operator can allow it with LOCI_EGRESS_ALLOW.',
  timeout: 'The provider did not answer in time. It is tried again.',
  unreachable: 'The provider cannot be reached. It is tried again.',
  broken_answer: 'The connection to the provider broke. It is tried again.',
  unreadable_answer: 'The provider answered with something that holds no tokens. It is tried again.',
  outcome_unknown: 'Whether the provider gave new tokens is not known. It is tried again.',
};

/** What a failed refresh means, and what to do: by the provider's verdict where the code says nothing more. */
export function explainRefreshFailure(code: string, state: 'refused' | 'unavailable', status: string): string {
  const known = EXPLANATIONS[code];
  if (known !== undefined) return known;
  if (state === 'unavailable') return `The provider cannot give tokens now (${code}). It is tried again.`;
  return status === 'expired'
    ? `The provider refused the refresh token (${code}): the user has to connect again, or send new credentials.`
    : `The provider refused the client (${code}): check its id, secret and scope, then refresh.`;
}
