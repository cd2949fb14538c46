import { Accordion } from '@mantine/core';
import { PageSection } from '../../components/page-section.tsx';
import { TextButton } from '../../components/text-button.tsx';
import { askTexts } from '../../texts/ask-texts.ts';
import { AnswerView } from './answer-view.tsx';
import type { WrittenAnswer } from './written-answer.ts';

const texts = askTexts.earlier;

export type EarlierAnswersProps = { answers: readonly WrittenAnswer[]; onForget: () => void };

/** The questions that were asked before in this tab, folded away. */
export function EarlierAnswers({ answers, onForget }: EarlierAnswersProps) {
  if (answers.length === 0) return null;
  return (
    <PageSection
      title={texts.title}
      explanation={texts.explanation}
      actions={<TextButton text={texts.forget} size="sm" onClick={onForget} />}
      mt="xl"
    >
      <Accordion multiple variant="contained" radius="md" order={3} keepMounted={false}>
        {answers.map((written) => (
          <Accordion.Item key={written.id} value={String(written.id)}>
            <Accordion.Control className="break-anywhere">{written.question.query}</Accordion.Control>
            <Accordion.Panel>
              <AnswerView written={written} isEarlier />
            </Accordion.Panel>
          </Accordion.Item>
        ))}
      </Accordion>
    </PageSection>
  );
}
