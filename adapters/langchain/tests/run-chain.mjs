/** Runs a chain with the retriever, and prints what came of it. Started by test/adapters. */
import { StringOutputParser } from '@langchain/core/output_parsers';
import { ChatPromptTemplate } from '@langchain/core/prompts';
import { RunnableLambda, RunnablePassthrough, RunnableSequence } from '@langchain/core/runnables';
import { createLociClient } from '@loci/client';
import { LociRetriever } from '../dist/index.js';

const loci = createLociClient();
const collectionIds = [process.env.COLLECTION_ID];
const retriever = new LociRetriever({ loci, collectionIds, k: 1, search: { filters: { lang: 'en' } } });
const context = retriever.pipe((documents) => documents.map(({ pageContent }) => pageContent).join('\n'));
// The model says what it was told.
const model = RunnableLambda.from((asked) => asked.toString());
const chain = RunnableSequence.from([
  { context, question: new RunnablePassthrough() },
  ChatPromptTemplate.fromTemplate('{context}\n\n{question}'),
  model,
  new StringOutputParser(),
]);
const [document] = await retriever.invoke('How do otters sleep?');
const said = await chain.invoke('How do otters sleep?');
const refused = await new LociRetriever({ loci, collectionIds: [crypto.randomUUID()] })
  .invoke('otters')
  .catch((error) => error.code);
console.log(JSON.stringify({ document, said, refused }));
