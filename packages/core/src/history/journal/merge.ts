import type { Change } from './change.js';

/** Several lists of changes, each newest first, as one. */
export async function* mergeNewestFirst(
  lists: readonly AsyncGenerator<Change, void>[],
): AsyncGenerator<Change, void> {
  try {
    const heads = await Promise.all(lists.map(async (list) => ({ list, head: await list.next() })));
    for (;;) {
      let newest: (typeof heads)[number] | undefined;
      let change: Change | undefined;
      for (const each of heads) {
        if (each.head.done === true || (change !== undefined && each.head.value.at <= change.at)) continue;
        newest = each;
        change = each.head.value;
      }
      if (newest === undefined || change === undefined) return;
      yield change;
      newest.head = await newest.list.next();
    }
  } finally {
    for (const list of lists) await list.return();
  }
}
