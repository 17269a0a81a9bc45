/** A shell command that sends a body. */
export interface CurlCommand {
  /** Lines that come first, such as those that sign the body. */
  before?: readonly string[];
  url: string;
  /** Each a header that is quoted already, as it may name variables. */
  headers: readonly string[];
  /** Quoted already, for the same reason. */
  data: string;
}

/** A text as one word of a shell. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

export function curlLine({ before = [], url, headers, data }: CurlCommand): string {
  const curl = [
    `curl --fail-with-body -X POST '${url.replaceAll("'", "%27")}'`,
    ...headers.map((header) => `  -H ${header}`),
    "  -H 'Content-Type: application/json'",
    `  --data ${data}`,
  ].join(" \\\n");
  return [...before, curl].join("\n");
}
