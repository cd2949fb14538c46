import { createContext, useContext } from 'react';
import type { BrowserClient } from '@loci/client/browser';
import type { Permission } from '../api/permission.ts';
import type { Schemas } from '../api/schemas.ts';

/** Who is signed in, and how to call the service for them. */
export type Session = {
  loci: BrowserClient;
  /** What a request that the client does not send needs. */
  headers: Readonly<Record<string, string>>;
  access: Schemas['CurrentCaller'];
  /** Whether the key permits all of these: `collections:write`. */
  may: (...permissions: Permission[]) => boolean;
  /** The same of what is in a collection: members change only their own collections. */
  mayChange: (collectionId: string, ...permissions: Permission[]) => boolean;
  /** Lets a member of several workspaces choose again; null for everybody else. */
  changeWorkspace: (() => void) | null;
  signOut: () => void;
  /** Ends the session at the issuer as well; null for those who did not sign in there. */
  signOutAtIssuer: { host: string; go: () => void } | null;
};

export const SessionContext = createContext<Session | null>(null);

/** Returns the session. Pages are shown only when there is one. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === null) throw new Error('Pages need a session around them.');
  return session;
}
