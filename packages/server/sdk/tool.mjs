// For tools written in Node:  const { args, roots } = await import(`${process.env.MCP_SDK}/tool.mjs`)
export {
  args,
  contains,
  fail,
  isCancelled,
  log,
  progress,
  requirePath,
  result,
  roots,
  toolError,
} from '../dist/tool-library/index.js';
