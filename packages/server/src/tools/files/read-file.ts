import { READS } from '../framework/annotations.js';
import { defineTool, type Tool } from '../framework/define-tool.js';
import { readTextFileAs, readTextInput } from './read-text-file.js';

/** Kept for clients and habits made for the reference server. */
export const readFile: Tool = defineTool({
  name: 'read_file',
  toolset: 'files',
  title: 'Read File (Deprecated)',
  description: 'Deprecated: use read_text_file.',
  annotations: READS,
  input: () => readTextInput().pick({ path: true, tail: true, head: true }),
  paths: ({ path }) => [path],
  handle: readTextFileAs,
});
