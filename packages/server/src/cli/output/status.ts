/** Something a person may have to wait for. */
export interface Status {
  /** What is under way now. */
  say(text: string): void;
}

/** Nobody waits. */
export const NO_STATUS: Status = { say: () => undefined };
