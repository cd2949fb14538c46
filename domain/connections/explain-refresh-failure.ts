const EXPLANATIONS: Readonly<Record<string, string>> = {
  no_client: 'There is no usable OAuth client. Check `config.oauth`, or create a client for the provider.',
  bad_endpoint: 'The token endpoint of the provider cannot be used: it must be an https URL.',
  endpoint_refused:
    'Requests to the address of the provider are blocked. An operator can allow it with LOCI_EGRESS_ALLOW.',
  timeout: 'The provider did not respond in time. The refresh is retried.',
  unreachable: 'The provider cannot be reached. The refresh is retried.',
  broken_answer: 'The connection to the provider broke. The refresh is retried.',
  unreadable_answer: 'The response of the provider contains no tokens. The refresh is retried.',
  outcome_unknown: 'It is unknown whether the provider issued new tokens. The refresh is retried.',
};

/** Explains a failed refresh and what to do about it: by its code where that is known, otherwise by how the provider responded. */
export function explainRefreshFailure(code: string, state: 'refused' | 'unavailable', status: string): string {
  const explanation = EXPLANATIONS[code];
  if (explanation !== undefined) return explanation;
  if (state === 'unavailable') return `The provider cannot issue tokens now (${code}). The refresh is retried.`;
  return status === 'expired'
    ? `The provider refused the refresh token (${code}). The user must authorize the connection again, or send new credentials.`
    : `The provider refused the client (${code}). Check its id, secret and scope, then refresh.`;
}
