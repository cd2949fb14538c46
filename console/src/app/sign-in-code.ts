const NAME = 'code';

/** The code of a sign-in link, which is in the fragment of the address. It works once, so it is taken from there at once. */
let code = new URLSearchParams(location.hash.slice(1)).get(NAME);
if (code !== null) history.replaceState(history.state, '', location.pathname + location.search);

/** Returns the code of the link that opened this page, the first time that it is asked for. */
export function takeSignInCode(): string | null {
  const taken = code;
  code = null;
  return taken;
}
