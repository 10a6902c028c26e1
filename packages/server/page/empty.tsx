import type { ComponentChildren, VNode } from 'preact';

/** What a view says when it has nothing to show, or cannot know. */
export function Empty({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ComponentChildren;
}): VNode {
  return (
    <div class="empty">
      <h2>{title}</h2>
      <p>{children}</p>
    </div>
  );
}
