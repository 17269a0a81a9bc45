import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { browserClock } from "../browser-clock.ts";

const shownMs = 2_000;

/** A button that puts a text on the clipboard, and says that it did. */
export function Copy({ text, children }: { text: string | (() => Promise<string>); children: string }): JSX.Element {
  const [said, say] = useState<string>();
  const copy = (): void => {
    Promise.resolve(typeof text === "string" ? text : text())
      .then((copied) => navigator.clipboard.writeText(copied))
      .then(
        () => say("Copied"),
        () => say("Could not be copied"),
      );
    browserClock.after(shownMs, () => say(undefined));
  };
  return (
    <button type="button" class="small" onClick={copy}>
      <span aria-live="polite">{said ?? children}</span>
    </button>
  );
}
