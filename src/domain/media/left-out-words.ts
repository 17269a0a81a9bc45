/** What people read of files that an agent attached and that are not kept, beside those that are. */
export function leftOutWords({ leftOut, kept }: { leftOut: number; kept: number }): string {
  const files = `${leftOut} ${kept > 0 ? "more " : ""}${leftOut === 1 ? "file" : "files"}`;
  return `${files} that the agent attached cannot be had: too many, too large, of another format, or not stored`;
}
