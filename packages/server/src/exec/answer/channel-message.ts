import { isObject, type JsonObject } from '@rootward/core/platform';
import { parseJson } from '../json.js';

/** A message of a tool while it runs. */
export type ChannelMessage = ToolNews | ToolQuestion;

/** A message that needs no answer. */
export type ToolNews =
  | {
      readonly kind: 'progress';
      readonly progress: number;
      readonly total: number;
      readonly message: string | undefined;
    }
  | {
      readonly kind: 'log';
      readonly level: LogLevel;
      readonly logger: string | undefined;
      readonly message: string;
    };

/** A question of a tool to the user. The tool waits for the answer. */
export type ToolQuestion = {
  readonly kind: 'question';
  /** The tool's own name for it, part of the name of a file. */
  readonly id: string;
  readonly message: string;
} & ({ readonly mode: 'form'; readonly schema: JsonObject } | { readonly mode: 'url'; readonly url: string });

const LEVELS = ['debug', 'info', 'warning', 'error'] as const;
type LogLevel = (typeof LEVELS)[number];

const PERCENT = 100;
const QUESTION_ID = /^[\w-]{1,64}$/;

/** Reads one line of the channel; undefined for other lines. */
export function readChannelLine(line: string): ChannelMessage | undefined {
  const value = parseJson(line);
  if (!isObject(value)) return undefined;
  const { type, progress, total, message, level, logger } = value;
  if (type === 'progress' && typeof progress === 'number') {
    return {
      kind: 'progress',
      progress,
      total: typeof total === 'number' ? total : PERCENT,
      message: typeof message === 'string' ? message : undefined,
    };
  }
  if (type === 'elicit') return readQuestion(value);
  const known = LEVELS.find((each) => each === level) ?? (level === 'warn' ? 'warning' : undefined);
  if (type !== 'log' || known === undefined || typeof message !== 'string') return undefined;
  return { kind: 'log', level: known, logger: typeof logger === 'string' ? logger : undefined, message };
}

function readQuestion({ id, message, mode, schema, url }: JsonObject): ToolQuestion | undefined {
  if (typeof id !== 'string' || !QUESTION_ID.test(id) || typeof message !== 'string') return undefined;
  if (mode === 'url' && typeof url === 'string') return { kind: 'question', id, message, mode, url };
  return isObject(schema) ? { kind: 'question', id, message, mode: 'form', schema } : undefined;
}
