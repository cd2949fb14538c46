const EXPLANATIONS: Readonly<Record<string, string>> = {
  no_client: 'There is no usable OAuth client. Check `config.oauth`, or create a client for the provider.',
  bad_endpoint:
    'The token endpoint of the provider cannot be used: it must be an https URL, and the metadata of `issuer` must be its own.',
  endpoint_refused:
    'Requests to the address of the provider are blocked. An operator can allow it with LOCI_EGRESS_ALLOW.',
  timeout: 'The provider did not respond in time. The refresh is retried.',
  unreachable: 'The provider cannot be reached. The refresh is retried.',
  broken_answer: 'The connection to the provider broke. The refresh is retried.',
  unreadable_answer: 'The response of the provider contains no tokens. The refresh is retried.',
  no_metadata:
    'The issuer of the provider publishes no usable metadata. The refresh is retried; if this lasts, check `issuer`, or set the endpoints instead.',
  outcome_unknown: 'It is unknown whether the provider issued new tokens. The refresh is retried.',
};

/** Explains a failed refresh and what to do about it: by its code where that is known, otherwise by how the provider responded. */
export function explainRefreshFailure(code: string, state: 'refused' | 'unavailable', status: string): string {
  const explanation = EXPLANATIONS[code];
  if (explanation !== undefined) return explanation;
  if (state === 'unavailable' && /^http_[34]/.test(code) && code !== 'http_429')
    return `The response of the provider contains neither tokens nor an OAuth error (${code}). The refresh is retried; if this lasts, check the token endpoint.`;
  if (state === 'unavailable') return `The provider cannot issue tokens now (${code}). The refresh is retried.`;
  return status === 'expired'
    ? `The provider refused the refresh token (${code}). The user must authorize the connection again, or send new credentials.`
    : `The provider refused the client (${code}). Check its id, secret and scope, then refresh.`;
}
