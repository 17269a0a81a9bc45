/** Has Ctrl-C, and a request to end, end this process at once with one sentence: what it leaves is the next try's matter. */
export function sayWhenInterrupted(sentence: string): void {
  for (const [signal, status] of [
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const) {
    process.once(signal, () => {
      process.stderr.write(`\ninterrupted: ${sentence}\n`);
      process.exit(status);
    });
  }
}
