/** Texts are joined up to this length, in UTF-16 units, so that few are kept. */
const joinedUnits = 8_192;

/** The end of a text that comes in pieces, of at most so many UTF-16 units. */
export class TextTail {
  readonly #most: number;
  #pieces: string[] = [];
  #kept = 0;
  #taken = 0;

  constructor(most: number) {
    this.#most = most;
  }

  take(text: string): void {
    this.#taken += text.length;
    this.#kept += text.length;
    const last = this.#pieces.at(-1);
    if (last === undefined || last.length + text.length > joinedUnits) this.#pieces.push(text);
    else this.#pieces[this.#pieces.length - 1] = last + text;
    while (this.#kept - (this.#pieces[0]?.length ?? 0) >= this.#most) {
      this.#kept -= this.#pieces.shift()?.length ?? 0;
    }
  }

  /** The end, and how many UTF-16 units before it are gone. */
  end(): { text: string; cut: number } {
    const text = this.#pieces.join("").slice(-this.#most);
    return { text, cut: this.#taken - text.length };
  }
}
