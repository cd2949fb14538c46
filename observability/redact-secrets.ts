const MAX_CHARACTERS = 4_000;

const API_KEY = /\bloci_([0-9A-Za-z]{12})_[0-9A-Za-z]{20,}/g;
const WEBHOOK_SECRET = /\bwhsec_[0-9A-Za-z+/=_-]+/g;
const AUTHORIZATION = /\b(Bearer|Basic)\s+[0-9A-Za-z._~+/=-]{8,}/gi;
const JSON_WEB_TOKEN = /\beyJ[0-9A-Za-z_-]{8,}\.[0-9A-Za-z_-]+(?:\.[0-9A-Za-z_-]*)?/g;
const URL_CREDENTIALS = /\b([a-z][a-z0-9+.-]*:\/\/)[^\s/?#'"<>@]*@/gi;
const URL_QUERY = /\b([a-z][a-z0-9+.-]*:\/\/[^\s?#'"<>]+)[?#][^\s'"<>)]*/gi;

/**
 * Redacts a text from a library, such as an error message or a stack: API keys, webhook secrets, authorization values, JSON
 * web tokens, and the credentials, query and fragment of URLs. Cuts it at 4,000 characters.
 */
export function redactSecrets(text: string): string {
  return text
    .slice(0, MAX_CHARACTERS)
    .replace(API_KEY, 'loci_$1_[sealed]')
    .replace(WEBHOOK_SECRET, '[sealed]')
    .replace(AUTHORIZATION, '$1 [sealed]')
    .replace(JSON_WEB_TOKEN, '[sealed]')
    .replace(URL_CREDENTIALS, '$1')
    .replace(URL_QUERY, '$1');
}
