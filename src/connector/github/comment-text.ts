/** A comment of ours: what the agent wrote, and a mark by which it is found again, which people do not see. */
export function commentText(postId: string, text: string): string {
  return `${withoutMentions(text)}\n\n${markOf(postId)}`;
}

export function markOf(postId: string): string {
  return `<!-- runwright:${postId} -->`;
}

/**
 * An `@`, or what GitHub shows as one, that begins a mention: it follows no letter or digit. What stands behind it may be written by
 * character references, too.
 */
const at = /(?<![A-Za-z0-9])(?:@|&#0*64(?!\d);?|&#x0*40(?![0-9a-f]);?|&commat;)(?=\S)/gi;

/** Mentions reach no person and no team: an invisible character parts them from their `@`. Blocks of code stay as they are. */
export function withoutMentions(text: string): string {
  let fence: string | undefined;
  let hasHtml = false;
  const lines = text.split(/\r\n?|\n/).map((line) => {
    const isCode = fence !== undefined;
    // What begins behind raw HTML may be a part of it.
    if (!isCode) hasHtml ||= /^ {0,3}</.test(line);
    if (isCode ? closes(line, fence ?? "") : !hasHtml) fence = isCode ? undefined : openedBy(line);
    return isCode ? line : line.replaceAll(at, "$&\u200B");
  });
  return lines.join("\n");
}

/** The fence of a block of code that begins with a line. One that is indented may be the end of a block within a list. */
function openedBy(line: string): string | undefined {
  return /^(?:`{3,}(?=[^`]*$)|~{3,})/.exec(line)?.[0];
}

function closes(line: string, fence: string): boolean {
  const [, end = ""] = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line) ?? [];
  return end.startsWith(fence);
}
