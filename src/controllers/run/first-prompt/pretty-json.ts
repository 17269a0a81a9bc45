import { countCharacters, firstCharacters } from "../../../lib/characters.ts";

/** Indented JSON, possibly cut. */
export interface PrettyJson {
  /** At most the limit's number of characters. */
  text: string;
  truncated: boolean;
}

/**
 * Indents JSON text by two spaces. It goes through the text token by token and stops at the limit, because building
 * the whole result first would let a body of 64 KB that is nested 30,000 deep take gigabytes or overflow the stack.
 * Numbers are kept as the sender wrote them, so long ids lose no digits; strings lose needless escapes. `limit` is the
 * longest result in Unicode code points, `without` a member of the outermost object that is left out.
 *
 * @throws SyntaxError when the text is not JSON.
 */
export function prettyJson(text: string, { limit, without }: { limit: number; without: string }): PrettyJson {
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
  const open: string[] = [];
  let keyComes = false;
  let dropping = false;
  for (const token of tokens) {
    if (isClosing(token)) {
      open.pop();
      dropping &&= open.length > 0;
    } else if (keyComes) {
      dropping = token === unwanted;
    }
    if (!dropping) yield token;
    if (isOpening(token)) open.push(token);
    keyComes = open.length === 1 && open[0] === "{" && (token === "{" || token === ",");
  }
}

function* indented(tokens: Iterable<string>): Generator<string> {
  let before = "";
  let depth = 0;
  for (const token of tokens) {
    if (isClosing(token)) {
      depth -= 1;
      if (!isOpening(before)) yield newLine(depth);
      yield token;
    } else if (token === ":") {
      yield ": ";
    } else if (token !== ",") {
      // A comma is printed with the entry that follows it.
      if (before === ",") yield ",";
      if (before === "," || isOpening(before)) yield newLine(depth);
      yield token;
      if (isOpening(token)) depth += 1;
    }
    before = token;
  }
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
