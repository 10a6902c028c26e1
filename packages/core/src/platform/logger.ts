/**
 * Where a workspace writes its log. Client paths appear in `debug` only; paths the operator configured may appear in
 * `warn`.
 */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
}

/** What a log line says beside its message. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Writes nothing. */
export const silentLogger: Logger = {
  debug() {},
  info() {},
  warn() {},
};
