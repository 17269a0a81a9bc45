import { plainText } from "../../api/runtime/text.ts";
import { cutMiddle, lastCharacters } from "../../lib/characters.ts";
import { jsonFailure } from "./json-failure.ts";
import { Redactor } from "./redaction.ts";
import { tellingLine } from "./telling-line.ts";

/** Kept of a command's standard error, in UTF-16 units. */
const keptUnits = 8_192;
/** Of an explanation. */
const shownCharacters = 300;

/** The end of a command's standard error, which explains a failure; without secrets, as a part of one is not recognised later. */
export class ErrorTail {
  readonly #redactor: Redactor;
  #text = "";

  constructor(secrets: readonly string[]) {
    this.#redactor = new Redactor(secrets);
  }

  take(text: string): void {
    this.#text = (this.#text + this.#redactor.take(text)).slice(-keptUnits);
  }

  /** The last lines that are not blank. */
  lines(): string[] {
    this.#text = (this.#text + this.#redactor.end()).slice(-keptUnits);
    const lines = plainText(this.#text, keptUnits).split("\n");
    return lines.map((line) => line.trim()).filter((line) => line !== "");
  }

  /** A failure with the last line that tells something behind it, or with what a JSON object at the end says. */
  explain(failure: string): string {
    const lines = this.lines();
    const said = jsonFailure(lines) ?? "";
    const why = plainText(said, said.length).trim() || (tellingLine(lines) ?? "");
    return explained(failure, cutMiddle(why, shownCharacters));
  }

  /** A failure with as many of the last lines behind it as there is room for. */
  explainAtLength(failure: string): string {
    return explained(failure, lastCharacters(this.lines().join("; "), shownCharacters));
  }
}

function explained(failure: string, why: string): string {
  return why === "" ? failure : `${failure}: ${why}`;
}
