import type { JSX } from "preact";
import { useState } from "preact/hooks";

/** Moves through a list by its cursors. */
export interface Paging {
  /** The query parameter; none for the first page. */
  query: { cursor?: string };
  isFirst: boolean;
  next: (cursor: string) => void;
  previous: () => void;
}

/** `list` names what is paged through: another list begins at its first page. */
export function usePaging(list: string): Paging {
  const [at, setAt] = useState<{ list: string; cursors: readonly string[] }>({ list, cursors: [] });
  const cursors = at.list === list ? at.cursors : [];
  const cursor = cursors.at(-1);
  return {
    query: cursor === undefined ? {} : { cursor },
    isFirst: cursors.length === 0,
    next: (cursor) => setAt({ list, cursors: [...cursors, cursor] }),
    previous: () => setAt({ list, cursors: cursors.slice(0, -1) }),
  };
}

export function Pager({ paging, nextCursor }: { paging: Paging; nextCursor: string | null }): JSX.Element | null {
  if (paging.isFirst && nextCursor === null) return null;
  return (
    <p class="pager">
      <button type="button" class="small" disabled={paging.isFirst} onClick={paging.previous}>
        Newer
      </button>
      <button
        type="button"
        class="small"
        disabled={nextCursor === null}
        onClick={() => nextCursor !== null && paging.next(nextCursor)}
      >
        Older
      </button>
    </p>
  );
}
