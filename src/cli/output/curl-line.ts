/** A shell command that sends a small delivery. Keys and ids contain no single quotes. */
export function curlLine(url: string, key: string | undefined): string {
  // In double quotes the shell replaces the variable.
  const authorization =
    key === undefined ? '"Authorization: Bearer $RUNWRIGHT_API_KEY"' : `'Authorization: Bearer ${key}'`;
  return [
    `curl --fail-with-body -X POST '${url.replaceAll("'", "%27")}'`,
    `  -H ${authorization}`,
    "  -H 'Content-Type: application/json'",
    `  --data '{"idempotencyKey": "example-1", "status": "failed"}'`,
  ].join(" \\\n");
}
