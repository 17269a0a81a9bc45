const stillGoing = /building Kubernetes \S+ from Go modules.*: still going after (\d+) s/;

/** How long Kubernetes was compiled, in milliseconds, as far as what was printed every 10 s says; undefined when it was not. */
export function compileTime(lines: readonly string[]): number | undefined {
  const seconds = lines.flatMap((line) => stillGoing.exec(line)?.[1] ?? []).map(Number);
  return seconds.length === 0 ? undefined : Math.max(...seconds) * 1000;
}
