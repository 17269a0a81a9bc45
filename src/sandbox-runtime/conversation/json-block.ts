/** A longer block is text, in UTF-16 units. */
const mostUnits = 262_144;

/**
 * Collects the lines of a JSON object that is written in many: a line `{`, lines that begin with a blank or tab, and a line
 * `}`. All else is text.
 */
export class JsonBlock {
  #lines: string[] = [];
  #units = 0;

  /** Whether the line belongs to a block. A line that does not ends one that has begun; {@link giveUp} says what that had. */
  takes(line: string): boolean {
    const isBeginning = this.#lines.length === 0 && line.trimEnd() === "{";
    const isNext = this.#lines.length > 0 && (/^[ \t]/.test(line) || line.trimEnd() === "}");
    return (isBeginning || isNext) && this.#units + line.length < mostUnits;
  }

  /** Adds a line; returns the whole text where it is the last one. */
  add(line: string): string | undefined {
    this.#lines.push(line);
    this.#units += line.length + 1;
    return line.trimEnd() === "}" ? this.#lines.join("\n") : undefined;
  }

  /** The lines so far, which are no block after all, or one that has been read. */
  giveUp(): string[] {
    const lines = this.#lines;
    this.#lines = [];
    this.#units = 0;
    return lines;
  }
}
