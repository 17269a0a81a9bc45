/** A shell command that sends a small delivery. Keys and ids hold no character that single quotes would not keep. */
export function curlLine(url: string, key: string | undefined): string {
  // Double quotes where the shell is to fill in the key.
  const authorization =
    key === undefined ? '"Authorization: Bearer $RUNWRIGHT_API_KEY"' : `'Authorization: Bearer ${key}'`;
  return [
    `curl --fail-with-body -X POST '${url.replaceAll("'", "%27")}'`,
    `  -H ${authorization}`,
    "  -H 'Content-Type: application/json'",
    `  --data '{"idempotencyKey": "example-1", "status": "failed"}'`,
  ].join(" \\\n");
}
