import { useEffect, useRef, useState } from 'preact/hooks';
import type { ComponentChildren, VNode } from 'preact';

const ROW_HEIGHT = 36;
/** Rows beside the visible ones, so that scrolling shows no gap. */
const MARGIN = 10;

interface Props<Item> {
  readonly label: string;
  readonly items: readonly Item[];
  readonly keyOf: (item: Item) => number;
  readonly render: (item: Item) => ComponentChildren;
}

/** A list of any length of which only the visible part is in the page. */
export function WindowedList<Item>({ label, items, keyOf, render }: Props<Item>): VNode {
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(600);
  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => setHeight(element.clientHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const first = Math.max(0, Math.floor(top / ROW_HEIGHT) - MARGIN);
  const count = Math.ceil(height / ROW_HEIGHT) + 2 * MARGIN;
  return (
    <div
      class="window"
      role="region"
      aria-label={label}
      tabIndex={0}
      ref={box}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
    >
      <ol style={{ height: `${items.length * ROW_HEIGHT}px` }}>
        {items.slice(first, first + count).map((item, index) => (
          <li key={keyOf(item)} style={{ transform: `translateY(${(first + index) * ROW_HEIGHT}px)` }}>
            {render(item)}
          </li>
        ))}
      </ol>
    </div>
  );
}
