import * as z from 'zod';
import { isObject, type JsonObject } from '@rootward/core/platform';
import { lazily } from '../../settings/lazily.js';
import type { SandboxGrant } from '../../settings/values/sandbox-settings.js';
import { checkReferences } from './check-references.js';
import { checkSchema, type MetadataFault } from './check-schema.js';
import { isTooDeep } from '../json.js';

/** The metadata of a tool. */
export interface ToolMetadata {
  readonly name: string;
  readonly title: string | undefined;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema: JsonObject | undefined;
  readonly annotations: ToolHints;
  readonly timeoutSecs: number | undefined;
  /** What a caller can do about a run that took too long. */
  readonly timeoutHint: string | undefined;
  /** Each sign of progress starts the timeout anew, up to `maxTimeoutSecs` in all. */
  readonly progressExtendsTimeout: boolean;
  readonly maxTimeoutSecs: number | undefined;
  /** Where the tool runs: in the tools project, or in the first root. */
  readonly cwd: 'project' | 'root';
  /** What it asks for in a sandbox; it gets what the operator allows. */
  readonly sandbox: SandboxGrant;
  /** As it was written, for the tool itself. */
  readonly written: JsonObject;
}

interface ToolHints {
  readonly title?: string | undefined;
  readonly readOnlyHint?: boolean | undefined;
  readonly destructiveHint?: boolean | undefined;
  readonly idempotentHint?: boolean | undefined;
  readonly openWorldHint?: boolean | undefined;
}

export type MetadataReading =
  | { readonly metadata: ToolMetadata }
  | { readonly faults: readonly [MetadataFault, ...MetadataFault[]] };

/** Longer than the 64 characters some clients allow, since dotted names such as `example.roots.read` grow. */
const NAME = /^[a-zA-Z0-9_.-]{1,128}$/;
const ONE_DAY_SECONDS = 86_400;

const shape = lazily(() => {
  const seconds = z.number().positive().max(ONE_DAY_SECONDS);
  const hints = z.looseObject({
    title: z.string().optional(),
    readOnlyHint: z.boolean().optional(),
    destructiveHint: z.boolean().optional(),
    idempotentHint: z.boolean().optional(),
    openWorldHint: z.boolean().optional(),
  });
  const schema = z.looseObject({ type: z.literal('object').optional() });

  const wishes = z.looseObject({
    network: z.boolean().optional(),
    read: z.array(z.string().min(1)).optional(),
    write: z.array(z.string().min(1)).optional(),
  });

  return z.looseObject({
    name: z
      .string()
      .regex(NAME, 'it must be 1 to 128 letters, digits, "_", "-" or "."')
      // The SDK would take it for a tool that is there already, and no tool at all could be served.
      .refine(
        (name) => !(name in Object.prototype),
        'every object of JavaScript has this name; take another',
      ),
    title: z.string().optional(),
    description: z.string().optional(),
    inputSchema: schema.optional(),
    /** What mcp-bash also calls the schema of the arguments. */
    arguments: schema.optional(),
    outputSchema: schema.optional(),
    annotations: hints.optional(),
    _meta: z.record(z.string(), z.unknown()).optional(),
    timeoutSecs: seconds.optional(),
    timeoutHint: z.string().optional(),
    progressExtendsTimeout: z.boolean().optional(),
    maxTimeoutSecs: seconds.optional(),
    cwd: z.enum(['project', 'root']).optional(),
    sandbox: wishes.optional(),
  });
});

/** Reads what stands in `tool.meta.json` or in a header line. A tool without a name is named after its file. */
export function readMetadata(value: unknown, fallbackName: string): MetadataReading {
  if (isTooDeep(value)) return { faults: [{ field: '', message: 'it is nested too deeply' }] };
  const named = isObject(value) ? { name: fallbackName, ...value } : value;
  const parsed = shape().safeParse(named);
  if (!parsed.success) {
    const [first, ...rest] = parsed.error.issues.map((issue) => ({
      field: issue.path.join('.'),
      message: inWords(issue),
    }));
    return { faults: [first ?? { field: '', message: 'it is not a tool' }, ...rest] };
  }
  const { data } = parsed;
  const inputSchema = data.inputSchema ?? data.arguments ?? {};
  const [fault, ...faults] = (['inputSchema', 'arguments', 'outputSchema'] as const).flatMap((field) =>
    checkSchema(data[field], field).concat(checkReferences(data[field] ?? {}, field)),
  );
  if (fault !== undefined) return { faults: [fault, ...faults] };
  return {
    metadata: {
      name: data.name,
      title: data.title,
      description: data.description ?? '',
      inputSchema: asObjectSchema(inputSchema),
      outputSchema: data.outputSchema === undefined ? undefined : asObjectSchema(data.outputSchema),
      annotations: data.annotations ?? {},
      timeoutSecs: data.timeoutSecs,
      timeoutHint: data.timeoutHint,
      progressExtendsTimeout: data.progressExtendsTimeout ?? false,
      maxTimeoutSecs: data.maxTimeoutSecs,
      cwd: data.cwd ?? 'project',
      sandbox: wishesOf(data.sandbox),
      written: data,
    },
  };
}

/** What to write instead, without the words of the library that found it. */
function inWords(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type') return `it must be ${article(issue.expected)}`;
  if (issue.code === 'invalid_value') {
    return `it must be ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}`;
  }
  if (issue.code === 'too_small') {
    return issue.origin === 'string' ? 'it is empty' : `it must be more than ${issue.minimum}`;
  }
  return issue.code === 'too_big' ? `it must be at most ${issue.maximum}` : issue.message;
}

function article(type: string): string {
  return `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`;
}

type Wishes = z.output<ReturnType<typeof shape>>['sandbox'];

function wishesOf({ network, read, write }: NonNullable<Wishes> = {}): SandboxGrant {
  return {
    ...(network !== undefined && { network }),
    ...(read !== undefined && { read }),
    ...(write !== undefined && { write }),
  };
}

/** Clients expect the type to be present; the dialect is left out because it would be repeated for every tool. */
function asObjectSchema({ $schema: _dialect, ...rest }: JsonObject): JsonObject {
  return { type: 'object', ...rest };
}
