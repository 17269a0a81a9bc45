import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Problem } from "../api.ts";
import { Untrusted } from "./text.tsx";

/** Runs actions one at a time, and keeps why the last one failed. */
export function useAction(): {
  isBusy: boolean;
  problem: Problem | undefined;
  run: (action: () => Promise<unknown>) => void;
} {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const run = (action: () => Promise<unknown>): void => {
    setBusy(true);
    setProblem(undefined);
    action()
      .catch((error: unknown) => setProblem(error instanceof Problem ? error : new Problem(0, String(error))))
      .finally(() => setBusy(false));
  };
  return { isBusy, problem, run };
}

/** Why an action failed; nothing while none did. */
export function ActionProblem({ problem }: { problem: Problem | undefined }): JSX.Element {
  return (
    <p class="action-problem" role="alert">
      {problem && <Untrusted text={problem.message} />}
    </p>
  );
}
