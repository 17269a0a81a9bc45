/** Tells a person what a long step is doing; one short line a call. */
export type Progress = (message: string) => void;

/** Progress on standard error, each line with the seconds since this function was called. */
export function progressOnStderr(scope: string): Progress {
  const startedMs = performance.now();
  return (message) => {
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(1).padStart(6);
    process.stderr.write(`[${scope} ${seconds}s] ${message}\n`);
  };
}

/** Runs `work` and says every 10 s that it is still going, so that a long silence never looks like a hang. */
export async function whileReporting<T>(progress: Progress, what: string, work: () => Promise<T>): Promise<T> {
  const startedMs = performance.now();
  progress(what);
  const ticker = setInterval(() => {
    progress(`${what}: still going after ${Math.round((performance.now() - startedMs) / 1000)} s`);
  }, 10_000);
  try {
    return await work();
  } finally {
    clearInterval(ticker);
  }
}
