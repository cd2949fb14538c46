import type { Schemas } from '../../api/schemas.ts';
import { useSession } from '../../app/session.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { Time } from '../../components/time.tsx';
import { useCollectionNames } from '../../components/use-collection-names.ts';
import { conversationsTexts, threadTexts } from '../../texts/conversations-texts.ts';

const { facts } = threadTexts;

/** Whose conversation it is, since when, and about which collections. */
export function ConversationFacts({ conversation }: { conversation: Schemas['Conversation'] }) {
  const { may } = useSession();
  const { owner_id: user, is_public: isPublic, created_at: createdAt, collections } = conversation;
  return (
    <>
      {user === null ? null : `${facts.user(user)} · `}
      {isPublic ? `${conversationsTexts.public} · ` : null}
      {facts.started} <Time at={createdAt} />
      {collections.length > 0 && may('collections:read') ? <About ids={collections} /> : null}
    </>
  );
}

function About({ ids }: { ids: readonly string[] }) {
  const { data: names } = useCollectionNames();
  return (
    <>
      {' · '}
      {facts.about}{' '}
      {ids.map((id, at) => (
        <span key={id}>
          {at === 0 ? null : ', '}
          <TextLink to="/collections/$collectionId" params={{ collectionId: id }} inherit underline="always">
            {names?.get(id) ?? id}
          </TextLink>
        </span>
      ))}
    </>
  );
}
