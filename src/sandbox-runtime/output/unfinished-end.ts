/** UTF-16 units that may wait for what completes them, fewer than a piece of output has. */
const mostUnits = 256;

const unfinished =
  // oxlint-disable-next-line no-control-regex -- the escape character is what this is about
  /(?:\r|\u001b(?:\[[0-?]*[ -/]*|[\]PX^_][^\u0007\u001b]*\u001b?|[ -/]*))$/;

/** What at the end of a text more text may complete: a command to the terminal, or a line end of two characters. */
export function unfinishedEnd(text: string): string {
  return unfinished.exec(text.slice(-mostUnits))?.[0] ?? "";
}
