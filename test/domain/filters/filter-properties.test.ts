import test from 'ava';
import * as fc from 'fast-check';
import { AppError } from '#domain/app-error.ts';
import { recordFacets } from '#domain/filters/facets.ts';
import { number, record, text, tree } from './arbitraries.ts';
import { bothAnswers } from './both-answers.ts';

test('evaluates random filters on index and row alike', (t) => {
  let accepted = 0;
  let matched = 0;
  fc.assert(
    fc.property(tree, record, (input, row) => {
      let answers;
      try {
        answers = bothAnswers(input, row);
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        return; // Refused filters have tests of their own.
      }
      accepted++;
      if (answers.row) matched++;
      t.is(answers.index, answers.row, JSON.stringify({ input, row }));
    }),
    { numRuns: 20_000 },
  );
  t.true(accepted > 5_000, `only ${accepted} filters were accepted`);
  t.true(matched > accepted * 0.1 && matched < accepted * 0.9, `${matched} of ${accepted} matched`);
});

test('finds a record by equality with its own value, whatever its spelling', (t) => {
  fc.assert(
    fc.property(fc.oneof(text, number), record, (value, any) => {
      const row = { ...any, metadata: { ...any.metadata, probe: value } };
      t.deepEqual(bothAnswers({ probe: { $eq: value } }, row), { row: true, index: true });
    }),
  );
});

test('keeps facets stable under the trimming and encoding of an index', (t) => {
  fc.assert(
    fc.property(record, (row) => {
      const facets = recordFacets(row);
      t.is(new Set(facets).size, facets.length);
      for (const facet of facets) {
        t.is(facet.trim(), facet);
        t.true(facet.isWellFormed() && facet.length <= 96);
      }
    }),
  );
});
