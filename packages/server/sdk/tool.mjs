// For tools written in Node:  const { args, roots } = await import(`${process.env.MCP_SDK}/tool.mjs`)
export * from '../dist/tool-library/index.js';
