import { isSpecType, type CallToolResult } from '@modelcontextprotocol/server';
import { isObject, type JsonObject } from '@rootward/core/platform';
import { fitsAnswerAsJson } from '../../answer-size.js';
import { findDocuments } from './json-documents.js';
import { parseJson } from '../json.js';
import type { RunOutcome } from './run-outcome.js';

/** The answer to a run: a result, or a protocol error that the tool asked for. */
export type ToolAnswer =
  | { readonly kind: 'result'; readonly result: CallToolResult }
  | {
      readonly kind: 'protocol-error';
      readonly code: number;
      readonly message: string;
      readonly data?: unknown;
    };

export interface RunFacts {
  readonly name: string;
  readonly outcome: RunOutcome;
  /** What the tool wrote to its error file. */
  readonly errorFile: string | undefined;
  /** Of the files it embeds in its answer. */
  readonly embedded?: readonly CallToolResult['content'][number][] | undefined;
  readonly timeoutMs: number;
  /** In all, where progress starts the timeout anew. */
  readonly extendedMs?: number | undefined;
  /** What the tool advises where time is up. */
  readonly timeoutHint?: string | undefined;
  readonly maxOutputBytes: number;
}

/** How much of an output that was cut is shown. */
const SHOWN_OF_CUT = 64 * 1024;
/** Structured content comes with the same as text; twice this much still fits the lines that clients take. */
const MAX_TEXT_FORM = 4 * 1024 * 1024;
const INTERNAL_ERROR = -32_603;

/** Makes an answer of what a tool left behind. Pure. */
export function readAnswer(facts: RunFacts): ToolAnswer {
  const { name, outcome, timeoutMs, extendedMs = timeoutMs, timeoutHint = '', maxOutputBytes } = facts;
  const { text, note } = decode(outcome.stdout);
  switch (outcome.end) {
    case 'not-started':
      return failure(`Cannot run ${name}: ${outcome.cause?.message ?? 'it did not start'}`);
    case 'cancelled':
      return failure(`${name} was cancelled`, outcome.stderr);
    case 'timed-out':
      return failure(
        `${name} did not finish within ${extendedMs / 1000} s and was ended`,
        timeoutHint,
        outcome.stderr,
      );
    case 'stalled':
      return failure(
        `${name} told of no progress for ${timeoutMs / 1000} s and was ended`,
        timeoutHint,
        outcome.stderr,
      );
    case 'too-much-output':
      return failure(
        `${name} printed more than ${maxOutputBytes} bytes and was ended; this is how its output starts`,
        startOf(text),
      );
    case 'exited':
      return fitting(
        withEmbedded(readReport(facts.errorFile) ?? readOutput(name, outcome, text, note), facts),
        facts,
        text,
      );
  }
}

/** Adds a text block to a result, also to a failure. Pure. */
export function withNote(answer: ToolAnswer, note: string): ToolAnswer {
  if (answer.kind !== 'result') return answer;
  const { result } = answer;
  return { ...answer, result: { ...result, content: [...result.content, textBlock(note)] } };
}

function withEmbedded(answer: ToolAnswer, { embedded = [] }: RunFacts): ToolAnswer {
  if (answer.kind !== 'result' || embedded.length === 0) return answer;
  const { result } = answer;
  return { kind: 'result', result: { ...result, content: [...result.content, ...embedded] } };
}

/** A longer answer would end the connection of the client. */
function fitting(
  answer: ToolAnswer,
  { name, errorFile = '', embedded = [] }: RunFacts,
  text: string,
): ToolAnswer {
  const length = embedded.length === 0 ? 0 : JSON.stringify(embedded).length;
  if (fitsAnswerAsJson(answer, text.length + errorFile.length + length)) return answer;
  return failure(
    `${name} printed more than a client can take in one answer; this is how its output starts`,
    startOf(text),
  );
}

/** Many clients cannot read an answer that ends with half a character. */
function startOf(text: string): string {
  return text.slice(0, SHOWN_OF_CUT).toWellFormed();
}

/** The error file holds an error of the protocol, or a result that a helper wanted to be sure of. */
function readReport(text: string | undefined): ToolAnswer | undefined {
  if (text === undefined || text.trim() === '') return undefined;
  const report = parseJson(text);
  if (!isObject(report)) {
    return { kind: 'protocol-error', code: INTERNAL_ERROR, message: text.trim() };
  }
  if (isWholeResult(report)) return { kind: 'result', result: wholeResult(report) };
  const { code, message, data } = report;
  return {
    kind: 'protocol-error',
    code: typeof code === 'number' && Number.isInteger(code) ? code : INTERNAL_ERROR,
    message: typeof message === 'string' ? message : 'The tool failed',
    ...(data !== undefined && data !== null && { data }),
  };
}

function readOutput(name: string, outcome: RunOutcome, text: string, note: string | undefined): ToolAnswer {
  const parsed = /^\s*[[{]/.test(text) ? parseJson(text) : undefined;
  const documents = isObject(parsed) ? [parsed] : findDocuments(text);
  const failed = documents.find(isFailure);
  if (failed !== undefined) return { kind: 'result', result: { ...resultOf(failed, text), isError: true } };
  if (outcome.code !== 0) {
    const how = outcome.signal === null ? `exit code ${outcome.code}` : `signal ${outcome.signal}`;
    return failure(`${name} ended with ${how}`, outcome.stderr, text);
  }
  const value = parsed ?? firstOfSeveral(documents);
  const result = isObject(value) || Array.isArray(value) ? resultOf(value, text) : textResult(text);
  return {
    kind: 'result',
    result: note === undefined ? result : { ...result, content: [...result.content, textBlock(note)] },
  };
}

/**
 * A script that goes on after its answer, as one does whose user said no, prints a second. What it said first is the
 * answer. Documents that are no whole results stay text: they may be lines of data.
 */
function firstOfSeveral(documents: readonly JsonObject[]): JsonObject | undefined {
  return documents.length > 1 && documents.every(isWholeResult) ? documents[0] : undefined;
}

function isWholeResult({ content }: JsonObject): boolean {
  return Array.isArray(content);
}

function isFailure(document: JsonObject): boolean {
  return document['isError'] === true || (document['success'] === false && 'error' in document);
}

/** With `content` it is a whole result; other objects are data, and a list is data under a name. */
function resultOf(value: JsonObject | readonly unknown[], text: string): CallToolResult {
  if (!isObject(value)) return { ...dataText(text), structuredContent: { result: value } };
  if (isWholeResult(value)) return wholeResult(value);
  const { isError: _isError, ...data } = value;
  return { ...dataText(text), structuredContent: data };
}

function dataText(text: string): CallToolResult {
  if (text.length <= MAX_TEXT_FORM) return textResult(text.trim());
  return textResult(`[${text.length} characters of JSON, in the structured content]`);
}

/** Blocks that no client could read are shown as text; everything else is passed on as it is. */
function wholeResult(value: JsonObject): CallToolResult {
  const { content, structuredContent, isError, _meta: meta } = value;
  const blocks = (Array.isArray(content) ? content : []).map((block: unknown) =>
    isSpecType.ContentBlock(block) ? block : textBlock(JSON.stringify(block) ?? ''),
  );
  return {
    content: blocks,
    ...(isObject(structuredContent) && { structuredContent: { ...structuredContent } }),
    ...(typeof isError === 'boolean' && { isError }),
    ...(isObject(meta) && { _meta: { ...meta } }),
  };
}

/** Invalid UTF-8 is replaced, with a note. */
function decode(bytes: Buffer): { readonly text: string; readonly note: string | undefined } {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), note: undefined };
  } catch {
    return {
      text: bytes.toString('utf8'),
      note: '[the output was not valid UTF-8; bad bytes are shown as �]',
    };
  }
}

function failure(message: string, ...details: readonly string[]): ToolAnswer {
  const text = [message, ...details.filter((detail) => detail.trim() !== '')].join('\n');
  return { kind: 'result', result: { ...textResult(text), isError: true } };
}

function textResult(text: string): CallToolResult {
  return { content: [textBlock(text)] };
}

function textBlock(text: string): CallToolResult['content'][number] {
  return { type: 'text', text };
}
