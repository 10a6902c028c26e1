import * as z from 'zod';

/** A type and not an interface: only types fit where any shape is taken. */
type SymbolShape = {
  symbol: z.ZodString;
  file: z.ZodString;
  line: z.ZodOptional<z.ZodNumber>;
};

/** How a symbol is named: positions are what models get wrong. */
export function symbolArguments(): SymbolShape {
  return {
    symbol: z.string().describe('Name, or Outer.name'),
    file: z.string(),
    line: z.number().int().min(1).optional(),
  };
}
