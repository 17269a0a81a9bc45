import { countCharacters, firstCharacters } from "../../../lib/characters.ts";

/** Indented JSON, possibly cut. */
export interface PrettyJson {
  /** At most the limit's number of characters. */
  text: string;
  truncated: boolean;
}

export interface PrettyOptions {
  /** Longest result in characters (Unicode code points). */
  limit: number;
  /** Member of a top-level object that is left out. */
  without: string;
}

/**
 * Indents JSON text by two spaces. It goes through the text token by token and stops at the limit, because building
 * the whole result first would let a body of 64 KB that is nested 30,000 deep take gigabytes or overflow the stack.
 * Numbers are kept as the sender wrote them, so long ids lose no digits; strings lose needless escapes.
 *
 * @throws SyntaxError when the text is not JSON.
 */
export function prettyJson(text: string, { limit, without }: PrettyOptions): PrettyJson {
  JSON.parse(text);
  const pieces: string[] = [];
  let characters = 0;
  for (const piece of indented(withoutMember(tokensOf(text), without))) {
    pieces.push(piece);
    characters += countCharacters(piece);
    if (characters > limit) return { text: firstCharacters(pieces.join(""), limit), truncated: true };
  }
  return { text: pieces.join(""), truncated: false };
}

const jsonToken = /[ \t\n\r]*([{}[\],:]|"[^"\\]*(?:\\.[^"\\]*)*"|[^ \t\n\r{}[\],:"]+)/y;

function* tokensOf(text: string): Generator<string> {
  const scan = new RegExp(jsonToken);
  for (let match = scan.exec(text); match; match = scan.exec(text)) {
    const token = match[1] ?? "";
    // Serialized again, so that \u00e9 counts as one character and equals the unescaped one.
    yield token.startsWith('"') ? JSON.stringify(JSON.parse(token)) : token;
  }
}

/** Leaves out a member of the outermost object; a comma that then stands before the end does not disturb {@link indented}. */
function* withoutMember(tokens: Iterable<string>, name: string): Generator<string> {
  const unwanted = JSON.stringify(name);
  let dropping = false;
  for (const { token, depth, isOuterKey } of placed(tokens)) {
    if (isOuterKey) dropping = token === unwanted;
    else if (depth === 0) dropping = false;
    if (!dropping) yield token;
  }
}

/** Adds to each token its depth, and whether it names a member of the outermost object. */
function* placed(tokens: Iterable<string>): Generator<{ token: string; depth: number; isOuterKey: boolean }> {
  const open: string[] = [];
  let before: string | undefined;
  for (const token of tokens) {
    if (isClosing(token)) open.pop();
    // The first token in an empty object is its end and not an entry.
    const beginsEntry = (before === "{" || before === ",") && !isClosing(token);
    yield { token, depth: open.length, isOuterKey: beginsEntry && open.length === 1 && open[0] === "{" };
    if (isOpening(token)) open.push(token);
    before = token;
  }
}

function* indented(tokens: Iterable<string>): Generator<string> {
  /** Entries so far of each open object or list, the innermost last. */
  const open: number[] = [];
  let entryComes = false;
  for (const token of tokens) {
    if (token === ",") {
      entryComes = true;
    } else if (token === ":") {
      yield ": ";
    } else if (isClosing(token)) {
      entryComes = false;
      if ((open.pop() ?? 0) > 0) yield newLine(open.length);
      yield token;
    } else {
      if (entryComes) yield nextEntry(open);
      yield token;
      entryComes = isOpening(token);
      if (entryComes) open.push(0);
    }
  }
}

function nextEntry(open: number[]): string {
  const before = open.pop() ?? 0;
  open.push(before + 1);
  return (before > 0 ? "," : "") + newLine(open.length);
}

function newLine(depth: number): string {
  return `\n${"  ".repeat(depth)}`;
}

function isOpening(token: string): boolean {
  return token === "{" || token === "[";
}

function isClosing(token: string): boolean {
  return token === "}" || token === "]";
}
