/** A shell command that sends a body. Keys contain no single quotes. */
export function curlLine(url: string, key: string | undefined, body: string): string {
  // In double quotes the shell replaces the variable.
  const authorization =
    key === undefined ? '"Authorization: Bearer $RUNWRIGHT_API_KEY"' : `'Authorization: Bearer ${key}'`;
  return [
    `curl --fail-with-body -X POST '${url.replaceAll("'", "%27")}'`,
    `  -H ${authorization}`,
    "  -H 'Content-Type: application/json'",
    `  --data '${body.replaceAll("'", String.raw`'\''`)}'`,
  ].join(" \\\n");
}
