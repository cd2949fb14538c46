import { getRouteApi } from '@tanstack/react-router';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { askTexts } from '../../texts/ask-texts.ts';
import { AnswerView } from './answer-view.tsx';
import type { AskChoice } from './ask-choice.ts';
import { AskForm } from './ask-form.tsx';
import { ConversationLink } from './conversation-link.tsx';
import { useQuestion } from './use-question.ts';

const route = getRouteApi('/ask');

/** Answers questions from the documents, with the passages that the answer rests on. */
export function AskPage() {
  const choice = route.useSearch();
  const navigate = route.useNavigate();
  const change = (part: AskChoice) => {
    void navigate({ search: (before) => ({ ...before, ...part }), replace: true });
  };
  const question = useQuestion(choice, (conversation) => change({ conversation }));
  const { written, isWriting, startError, ask, askAgain, stop } = question;
  return (
    <>
      <PageHeader title={askTexts.title} description={askTexts.description} />
      <AskForm choice={choice} isWriting={isWriting} onChange={change} onAsk={ask} onStop={stop} />
      {startError === null ? null : <ErrorNotice error={startError} />}
      {written === null ? (
        <EmptyState icon="ask" title={askTexts.empty.title} advice={askTexts.empty.advice} />
      ) : (
        <>
          <AnswerView written={written} onRetry={() => void askAgain(written.question)} />
          <ConversationLink answer={written.answer} />
        </>
      )}
    </>
  );
}
