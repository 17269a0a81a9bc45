/** Time of the browser; the page's one reader of it. */
export const browserClock = {
  nowMs: (): number => Date.now(),
  /** Calls `run` once; the returned function cancels it. */
  after(delayMs: number, run: () => void): () => void {
    const handle = setTimeout(run, delayMs);
    return () => clearTimeout(handle);
  },
};

/** Random text for names that nothing had before. */
export function freshId(): string {
  return crypto.randomUUID().replaceAll("-", "").slice(0, 20);
}
