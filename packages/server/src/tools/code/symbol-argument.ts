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
    symbol: z.string().min(1).describe('Name, or Outer.name'),
    file: z.string().describe('A file it stands in'),
    line: z.number().int().min(1).optional().describe('About where'),
  };
}
