import type * as z from 'zod';

interface Entry {
  readonly $schema: string;
  readonly name: string;
  readonly description: string;
  readonly version: string;
  readonly packages: readonly {
    readonly identifier: string;
    readonly version: string;
    readonly packageArguments: readonly (
      | { readonly type: 'positional' }
      | { readonly type: 'named'; readonly name: string }
    )[];
    readonly environmentVariables: readonly { readonly name: string }[];
  }[];
}

export const entryRules: z.ZodType<Entry>;
export function publishedSchema(entry: Entry, file: string | undefined): Promise<object | undefined>;
export function schemaProblems(entry: unknown, schema: object): readonly string[];
export function ruleProblems(entry: unknown): readonly string[];
