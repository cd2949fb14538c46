import { useMemo, useState } from 'react';
import { useSession } from '../../app/session.tsx';
import { AnswerText } from '../../components/passages/answer-text.tsx';
import { threadTexts } from '../../texts/conversations-texts.ts';
import type { StoredAnswer } from './cited-places.ts';
import { StoredPassageDrawer, type OpenedPassage } from './stored-passage-drawer.tsx';

/** An answer of Loci that was stored in the conversation. Its marks open the passages, for those who may read them. */
export function AnswerMessage({ text, answer: { isVerbatim, places } }: { text: string; answer: StoredAnswer }) {
  const { may } = useSession();
  const [opened, setOpened] = useState<OpenedPassage | null>(null);
  const mayOpen = may('chunks:read');
  const sources = useMemo(
    () => new Map(mayOpen ? places.map(({ number }) => [number, threadTexts.cited]) : []),
    [mayOpen, places],
  );
  const open = (number: number, at: number | undefined) => {
    const cited = places.filter((place) => place.number === number && (at === undefined || place.at === at));
    const place = cited[0] ?? places.find((one) => one.number === number);
    if (place === undefined) return;
    const ranges = cited.flatMap(({ range }) => (range === null ? [] : [range]));
    setOpened({ chunkId: place.chunkId, contentId: place.contentId, ranges });
  };
  return (
    <>
      <AnswerText text={text} citations={{ sources, onOpen: open }} isVerbatim={isVerbatim} />
      <StoredPassageDrawer opened={opened} onClose={() => setOpened(null)} />
    </>
  );
}
