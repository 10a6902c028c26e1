/** One measured comparison. `ours` and `peer` are in `unit`; a figure without a peer is compared with its goal alone. */
export interface Row {
  readonly what: string;
  readonly unit: string;
  readonly ours: number;
  readonly peer?: number;
  /** Who the peer is, when it is not the one the section names. */
  readonly peerName?: string;
  /** The most `ours / peer` (or, without a peer, `ours`) may be. */
  readonly goal?: number;
}

export interface Section {
  readonly title: string;
  readonly peer?: string;
  readonly rows: readonly Row[];
}

export function ratioOf(row: Row): number | undefined {
  return row.peer === undefined ? undefined : row.ours / row.peer;
}

export function meetsGoal(row: Row): boolean | undefined {
  if (row.goal === undefined) return undefined;
  return (ratioOf(row) ?? row.ours) <= row.goal;
}
