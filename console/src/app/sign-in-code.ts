const NAME = 'code';

/** Of the link that opened this page. It works once, so it is taken from the address at once. */
let code = takeFromAddress();

/** Returns the code of a sign-in link that was opened in this tab, once. */
export function takeSignInCode(): string | null {
  const taken = takeFromAddress() ?? code;
  code = null;
  return taken;
}

/** The code is in the fragment, which no server sees; it does not stay in the history of the browser either. */
function takeFromAddress(): string | null {
  const found = new URLSearchParams(location.hash.slice(1)).get(NAME);
  if (found !== null) history.replaceState(history.state, '', location.pathname + location.search);
  return found;
}
