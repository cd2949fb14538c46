import { getRouteApi } from '@tanstack/react-router';
import { EmptyState } from '../../components/empty-state.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { askTexts } from '../../texts/ask-texts.ts';
import { filtersOf } from '../search/filter-row.ts';
import { AnswerView } from './answer-view.tsx';
import type { AskChoice } from './ask-choice.ts';
import { AskForm } from './ask-form.tsx';
import { useAnswer } from './use-answer.ts';

const route = getRouteApi('/ask');

/** Answers questions from the documents, with the passages that the answer rests on. */
export function AskPage() {
  const choice = route.useSearch();
  const navigate = route.useNavigate();
  const { written, ask, stop } = useAnswer();
  const change = (part: AskChoice) => {
    void navigate({ search: (before) => ({ ...before, ...part }), replace: true });
  };
  const start = (query: string) => {
    const filters = filtersOf(choice.filters ?? [], choice.any === true);
    void ask({ query, collection_ids: choice.collections ?? [], filters });
  };
  return (
    <>
      <PageHeader title={askTexts.title} description={askTexts.description} />
      <AskForm
        choice={choice}
        isWriting={written?.status === 'writing'}
        onChange={change}
        onAsk={start}
        onStop={stop}
      />
      {written === null ? (
        <EmptyState icon="ask" title={askTexts.empty.title} advice={askTexts.empty.advice} />
      ) : (
        <AnswerView written={written} onRetry={() => void ask(written.question)} />
      )}
    </>
  );
}
