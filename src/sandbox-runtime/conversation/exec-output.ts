import { z } from "zod";
import { protocolLimits } from "../../api/runtime/limits.ts";
import { plainText } from "../../api/runtime/text.ts";
import { lastCharacters } from "../../lib/characters.ts";

/** What an agent of the `exec` protocol may say of its work, as one JSON line of its standard output. */
const ResultLine = z.object({
  type: z.literal("result"),
  summary: z.string().optional(),
  branch: z.string().optional(),
  commit: z.string().optional(),
});
export type Reported = Omit<z.infer<typeof ResultLine>, "type">;

/** A longer line is text, whatever it looks like; in UTF-16 units. */
const longestJsonLine = 262_144;
/** Enough for a summary's last lines; in UTF-16 units. */
const tailUnits = 4 * protocolLimits.summaryCharacters;

/**
 * Reads standard output in the `exec` protocol: JSON lines of type `result` are the report (the last one counts), other
 * JSON objects are the agent's own affair, and of all else the last lines are the summary of an agent that gives none.
 */
export class ExecOutput {
  #line = "";
  /** The line's beginning is in the tail already, so that its rest is no JSON whatever it looks like. */
  #isLong = false;
  #tail = "";
  #reported: Reported | undefined;

  take(text: string): void {
    const lines = text.split("\n");
    const last = lines.pop() ?? "";
    for (const line of lines) {
      this.#line += line;
      this.#endLine();
    }
    this.#line += last;
    // A line without end must not fill the memory.
    if (this.#line.length > longestJsonLine) {
      this.#addToTail(this.#line);
      this.#line = "";
      this.#isLong = true;
    }
  }

  /** What is known when the output has ended. */
  end(): Reported {
    this.#endLine();
    const { summary, branch, commit } = this.#reported ?? {};
    const said = summary ?? lastLines(this.#tail);
    return {
      ...(said === "" ? {} : { summary: plainText(said, protocolLimits.summaryCharacters) }),
      ...(branch === undefined ? {} : { branch: branch.slice(0, 1_024) }),
      ...(commit === undefined ? {} : { commit: commit.slice(0, 128) }),
    };
  }

  #endLine(): void {
    const line = this.#line;
    const mayBeJson = !this.#isLong && line.length <= longestJsonLine && line.trimStart().startsWith("{");
    const document = mayBeJson ? parse(line) : undefined;
    this.#line = "";
    this.#isLong = false;
    if (document === undefined) this.#addToTail(`${line}\n`);
    else this.#reported = ResultLine.safeParse(document).data ?? this.#reported;
  }

  #addToTail(text: string): void {
    this.#tail = (this.#tail + text).slice(-tailUnits);
  }
}

function lastLines(text: string): string {
  const plain = plainText(text, text.length).trim();
  const end = lastCharacters(plain, protocolLimits.summaryCharacters);
  if (end.length === plain.length) return end;
  // The first line may have lost its beginning; one that is all there is stays.
  const firstBreak = end.indexOf("\n");
  return firstBreak < 0 ? end : end.slice(firstBreak + 1);
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return undefined;
  }
}
