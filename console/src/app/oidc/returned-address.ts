/** The address to which the issuer returned, if it did; its code works once, so it is taken from the address at once. */
let returned = returnedOf(new URL(location.href));
if (returned !== null) history.replaceState(history.state, '', location.pathname);

function returnedOf(url: URL): URL | null {
  const { searchParams } = url;
  return searchParams.has('state') && (searchParams.has('code') || searchParams.has('error')) ? url : null;
}

/** Returns the address to which the issuer returned, the first time that it is asked for. */
export function takeReturnedAddress(): URL | null {
  const taken = returned;
  returned = null;
  return taken;
}
