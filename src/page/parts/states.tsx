import type { ComponentChildren, JSX } from "preact";
import type { Problem } from "../api.ts";
import { Untrusted } from "./text.tsx";
import type { Loaded } from "./after-failure.ts";

/** Shows what was loaded, or in its place that it loads, that it failed or that the person may not see it. */
export function Show<T>({
  loaded,
  what,
  heading,
  reload,
  children,
}: {
  loaded: Loaded<T>;
  /** What is loaded, such as `automations`. */
  what: string;
  /** Of a page that has none of its own until all is loaded. */
  heading?: string;
  reload: () => void;
  children: (value: T) => ComponentChildren;
}): JSX.Element {
  if (loaded.state === "loading") {
    return (
      <>
        {heading !== undefined && <h1 class="hidden">{heading}</h1>}
        <p class="state" role="status">
          Loading {what}…
        </p>
      </>
    );
  }
  if (loaded.state === "failed") {
    return (
      <>
        {heading !== undefined && <h1 class="hidden">{heading}</h1>}
        <ProblemNote problem={loaded.problem} what={what} reload={reload} />
      </>
    );
  }
  return (
    <>
      {loaded.stale && (
        <p class="stale" role="status">
          Not up to date: <Untrusted text={loaded.stale.message} />
        </p>
      )}
      {children(loaded.value)}
    </>
  );
}

const titles: Readonly<Record<number, string>> = { 401: "You are signed out", 403: "Not allowed", 404: "Not found" };

export function ProblemNote({
  problem,
  what,
  reload,
}: {
  problem: Problem;
  what: string;
  reload?: () => void;
}): JSX.Element {
  const { status, message } = problem;
  return (
    <div class="state problem" role="alert" data-status={status}>
      <strong>{titles[status] ?? `Could not load ${what}`}</strong>
      <p>
        <Untrusted text={message} />
      </p>
      {status === 403 && <p>Ask for a role with this permission, or choose a namespace in which you have one.</p>}
      {reload && status !== 401 && (
        <button type="button" onClick={reload}>
          Try again
        </button>
      )}
    </div>
  );
}

export function Empty({ children }: { children: ComponentChildren }): JSX.Element {
  return <p class="state">{children}</p>;
}
