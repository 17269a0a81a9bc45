interface Page {
  isComplete: boolean;
  nextCursor: string | null;
  trimmed?: readonly { message: string }[] | undefined;
}

/** What is said where history ends: why older runs are not kept. A page that others follow is no end. */
export function historyEnd({ nextCursor, trimmed = [] }: Page): string[] {
  return nextCursor === null ? trimmed.map(({ message }) => `${message}.`) : [];
}

/** What is said in place of a list without runs. */
export function noRuns({ isComplete, trimmed }: Page): string {
  if (!isComplete) return "The cluster has no run of it.";
  return trimmed ? "No run of it is kept." : "It has not run yet.";
}
