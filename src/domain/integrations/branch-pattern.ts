/**
 * Whether a pattern matches a whole text, with case: `*` stands for any characters but a slash, `**` for any at all, and a slash
 * right after `**` may be missing with what stands before it, so that `**` + `/api` is also `api`. All else stands for itself.
 * The work is at most the product of both lengths, whatever the pattern.
 */
export function matchesPattern(pattern: string, text: string): boolean {
  // At which places of the text what was read of the pattern can end.
  let ends = new Set([0]);
  for (const token of tokensOf(pattern)) {
    ends = endsAfter(token, text, ends);
    if (ends.size === 0) return false;
  }
  return ends.has(text.length);
}

function tokensOf(pattern: string): readonly string[] {
  return pattern.match(/\*\*\/|\*\*|\*|[^*]+/g) ?? [];
}

function endsAfter(token: string, text: string, starts: ReadonlySet<number>): Set<number> {
  if (!token.startsWith("*")) {
    const found = [...starts].filter((start) => text.startsWith(token, start));
    return new Set(found.map((start) => start + token.length));
  }
  const ends = new Set(starts);
  let isRunning = false;
  for (let at = 0; at < text.length; at += 1) {
    isRunning ||= starts.has(at);
    if (token === "*" && text[at] === "/") isRunning = false;
    if (isRunning && (token !== "**/" || text[at] === "/")) ends.add(at + 1);
  }
  return ends;
}
