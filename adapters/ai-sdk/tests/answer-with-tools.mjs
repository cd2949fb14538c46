/** Lets a model at MODEL_URL use the tools, and prints what came of it. Started by test/adapters. */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { createLociClient } from '@loci/client';
import { generateText, stepCountIs } from 'ai';
import { lociTools } from '../dist/index.js';

const { COLLECTION_ID, MODEL_URL } = process.env;
const loci = createLociClient();
const model = createOpenAICompatible({ name: 'test', baseURL: MODEL_URL }).chatModel('any');
const tools = lociTools(loci, { collectionIds: [COLLECTION_ID], userId: 'ada', maxResults: 1, readCharacters: 20 });
const { text, steps } = await generateText({ model, tools, stopWhen: stepCountIs(8), prompt: 'How do otters sleep?' });
const results = steps.flatMap(({ content }) =>
  content.flatMap((part) =>
    part.type === 'tool-result'
      ? [{ tool: part.toolName, output: part.output }]
      : part.type === 'tool-error'
        ? [{ tool: part.toolName, error: part.error.message }]
        : [],
  ),
);
console.log(JSON.stringify({ text, results, withoutUser: Object.keys(lociTools(loci)) }));
