import { getRouteApi } from '@tanstack/react-router';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { askTexts } from '../../texts/ask-texts.ts';
import { AnswerView } from './answer-view.tsx';
import { EarlierAnswers } from './earlier-answers.tsx';
import type { AskChoice } from './ask-choice.ts';
import { AskForm } from './ask-form.tsx';
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
  const { asked, isWriting, startError, ask, askAgain, stop, forgetEarlier } = question;
  const [newest, ...earlier] = asked;
  return (
    <>
      <PageHeader title={askTexts.title} description={askTexts.description} />
      <AskForm choice={choice} isWriting={isWriting} onChange={change} onAsk={ask} onStop={stop} />
      {startError === null ? null : <ErrorNotice error={startError} />}
      {newest === undefined ? (
        <EmptyState icon="ask" title={askTexts.empty.title} advice={askTexts.empty.advice} />
      ) : (
        <AnswerView key={newest.id} written={newest} onRetry={() => void askAgain(newest.question)} />
      )}
      <EarlierAnswers answers={earlier} onForget={forgetEarlier} />
    </>
  );
}
