import { isObject } from '@rootward/core/platform';
import { parseJson } from '../json.js';

/** What a tool says while it runs. */
export type ChannelMessage =
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

const LEVELS = ['debug', 'info', 'warning', 'error'] as const;
type LogLevel = (typeof LEVELS)[number];

const PERCENT = 100;

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
  const known = LEVELS.find((each) => each === level);
  if (type !== 'log' || known === undefined || typeof message !== 'string') return undefined;
  return { kind: 'log', level: known, logger: typeof logger === 'string' ? logger : undefined, message };
}
