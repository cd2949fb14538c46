import type { Tool } from '#api/mcp/tool.ts';
import { addMemoryTool } from './add-memory-tool.ts';
import { addTextTool } from './add-text-tool.ts';
import { addUrlTool } from './add-url-tool.ts';
import { answerTool } from './answer-tool.ts';
import { compressTool } from './compress-tool.ts';
import { forgetMemoryTool } from './forget-memory-tool.ts';
import { getContentTool } from './get-content-tool.ts';
import { listCollectionsTool } from './list-collections-tool.ts';
import { listContentsTool } from './list-contents-tool.ts';
import { searchMemoriesTool } from './search-memories-tool.ts';
import { searchTool } from './search-tool.ts';
import { updateMemoryTool } from './update-memory-tool.ts';
import { uploadStatusTool } from './upload-status-tool.ts';

/** Every tool, in the order in which clients show them. */
export const tools: readonly Tool[] = [
  listCollectionsTool,
  searchTool,
  answerTool,
  listContentsTool,
  getContentTool,
  addTextTool,
  addUrlTool,
  uploadStatusTool,
  searchMemoriesTool,
  addMemoryTool,
  updateMemoryTool,
  forgetMemoryTool,
  compressTool,
];
