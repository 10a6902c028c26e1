/** One instruction of the classic packet filter. Jumps count the instructions to skip. */
export interface Instruction {
  readonly code: number;
  readonly jumpTrue: number;
  readonly jumpFalse: number;
  readonly value: number;
}

const LOAD_WORD = 0x20;
const AND = 0x54;
const JUMP_EQUAL = 0x15;
const JUMP_ANY_BIT = 0x45;
const RETURN = 0x06;

const ALLOW = 0x7f_ff_00_00;
const ERRNO = 0x00_05_00_00;
const INSTRUCTION_BYTES = 8;

/** Offsets into what the kernel hands to a filter. */
export const CALL_NUMBER = 0;
export const ARCHITECTURE = 4;
const FIRST_ARGUMENT = 16;

/** The low half of an argument; all that we look at is an `int` or has its bits there. Little-endian processors only. */
export function argument(index: number): number {
  return FIRST_ARGUMENT + 8 * index;
}

export function load(offset: number): Instruction {
  return { code: LOAD_WORD, jumpTrue: 0, jumpFalse: 0, value: offset };
}

export function and(mask: number): Instruction {
  return { code: AND, jumpTrue: 0, jumpFalse: 0, value: mask };
}

export function jumpIfEqual(value: number, jumpTrue: number, jumpFalse: number): Instruction {
  return { code: JUMP_EQUAL, jumpTrue, jumpFalse, value };
}

export function jumpIfAnyBit(mask: number, jumpTrue: number, jumpFalse: number): Instruction {
  return { code: JUMP_ANY_BIT, jumpTrue, jumpFalse, value: mask };
}

export function allow(): Instruction {
  return { code: RETURN, jumpTrue: 0, jumpFalse: 0, value: ALLOW };
}

export function fail(errno: number): Instruction {
  return { code: RETURN, jumpTrue: 0, jumpFalse: 0, value: ERRNO | errno };
}

/** As the kernel reads it: `struct sock_filter`, little-endian. */
export function encode(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * INSTRUCTION_BYTES);
  for (const [index, { code, jumpTrue, jumpFalse, value }] of program.entries()) {
    const at = index * INSTRUCTION_BYTES;
    bytes.writeUInt16LE(code, at);
    bytes.writeUInt8(jumpTrue, at + 2);
    bytes.writeUInt8(jumpFalse, at + 3);
    bytes.writeUInt32LE(value >>> 0, at + 4);
  }
  return bytes;
}
