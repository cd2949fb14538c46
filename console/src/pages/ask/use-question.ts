import type { AnswerQuestion } from '@loci/client/browser';
import { useStartConversation } from '../conversations/use-conversations.ts';
import { filtersOf } from '../search/filter-row.ts';
import { type AskChoice, NEW_CONVERSATION } from './ask-choice.ts';
import { useAnswer } from './use-answer.ts';

/** As many as the service takes of a first message. */
const TITLE_CHARACTERS = 80;
/** A character of two code units that was cut in half, at the end. */
const HALF_CHARACTER = /[\uD800-\uDBFF]$/;

/**
 * Asks questions as they were chosen to be asked. The first one of a new conversation starts it; the following ones continue it.
 * @param onConversation is told which conversation was started
 */
export function useQuestion(choice: AskChoice, onConversation: (id: string) => void) {
  const answering = useAnswer();
  const starting = useStartConversation();
  const ask = (query: string) => {
    const filters = filtersOf(choice.filters ?? [], choice.any === true);
    const question: AnswerQuestion = { query, collection_ids: choice.collections ?? [], filters };
    const continueIn = (id: string) => void answering.ask({ ...question, conversation_id: id });
    if (choice.conversation === undefined) {
      void answering.ask(question);
    } else if (choice.conversation !== NEW_CONVERSATION) {
      continueIn(choice.conversation);
    } else {
      const onSuccess = (id: string) => {
        onConversation(id);
        continueIn(id);
      };
      starting.mutate({ title: titleOf(query), user: '', message: '' }, { onSuccess });
    }
  };
  const { asked, forgetEarlier } = answering;
  const stop = () => {
    // Otherwise the question would be asked when the conversation is there.
    starting.reset();
    answering.stop();
  };
  const isWriting = starting.isPending || asked[0]?.status === 'writing';
  return { asked, isWriting, startError: starting.error, ask, askAgain: answering.ask, stop, forgetEarlier };
}

function titleOf(query: string): string {
  return (query.split('\n')[0] ?? '').slice(0, TITLE_CHARACTERS).replace(HALF_CHARACTER, '');
}
