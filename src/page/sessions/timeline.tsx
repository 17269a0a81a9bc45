import type { JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { ActionProblem, useAction } from "../parts/action.tsx";
import { ProblemNote } from "../parts/states.tsx";
import { Untrusted } from "../parts/text.tsx";
import { When } from "../parts/time.tsx";
import { type Entry, newestEntries, windowCharacters } from "./timeline-entries.ts";
import { useTimeline } from "./use-timeline.ts";

const words = {
  loading: "Connecting…",
  live: "Live",
  ended: "The session is finished.",
  broken: "",
} as const;

/** Pixels from the end within which the view follows new entries. */
const nearEnd = 40;

/** What happened in a session and what happens now. */
export function Timeline({ id }: { id: string }): JSX.Element {
  const { entries: all, older, is, problem, loadOlder } = useTimeline(id);
  const [characters, setCharacters] = useState(windowCharacters);
  const { isBusy, problem: olderProblem, run } = useAction();
  const entries = newestEntries(all, characters);
  const showOlder = (): void => {
    const more = characters + windowCharacters;
    setCharacters(more);
    if (older !== undefined && newestEntries(all, more).length === all.length) run(loadOlder);
  };
  const list = useRef<HTMLOListElement>(null);
  const follows = useRef(true);
  useLayoutEffect(() => {
    const { current } = list;
    if (current && follows.current) current.scrollTop = current.scrollHeight;
  }, [all]);
  return (
    <>
      {problem && <ProblemNote problem={problem} what="the timeline" />}
      {entries.length > 0 && (entries.length < all.length || older !== undefined) && (
        <button type="button" class="small" disabled={isBusy} onClick={showOlder}>
          Show older entries
        </button>
      )}
      <ActionProblem problem={olderProblem} />
      {entries.length > 0 && (
        <ol
          class="timeline"
          ref={list}
          tabIndex={0}
          aria-label="What happened"
          onScroll={({ currentTarget: at }) => {
            follows.current = at.scrollHeight - at.scrollTop - at.clientHeight < nearEnd;
          }}
        >
          {entries.map((entry) => (
            <EntryItem key={entry.key} entry={entry} />
          ))}
        </ol>
      )}
      <p class="hint" role="status">
        {is === "live" && entries.length === 0 ? "Nothing has happened yet." : words[is]}
      </p>
    </>
  );
}

function EntryItem({ entry: { kind, source, time, text } }: { entry: Entry }): JSX.Element {
  return (
    <li class={kind}>
      <span class="meta">
        <Untrusted text={source} /> · <When at={Date.parse(time)} />
      </span>
      {kind === "output" ? (
        <pre>
          <Untrusted text={text} />
        </pre>
      ) : (
        <span>
          <Untrusted text={text} />
        </span>
      )}
    </li>
  );
}
