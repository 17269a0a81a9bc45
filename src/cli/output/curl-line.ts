/** The header of a webhook delivery, for a shell: with the key, which has no single quotes, or with a variable for it. */
export function bearerHeader(key?: string): string {
  // In double quotes the shell replaces the variable.
  return key === undefined ? '"Authorization: Bearer $RUNWRIGHT_API_KEY"' : `'Authorization: Bearer ${key}'`;
}

/** A shell command that sends a body with a header that is quoted already. */
export function curlLine(url: string, header: string, body: string): string {
  return [
    `curl --fail-with-body -X POST '${url.replaceAll("'", "%27")}'`,
    `  -H ${header}`,
    "  -H 'Content-Type: application/json'",
    `  --data '${body.replaceAll("'", String.raw`'\''`)}'`,
  ].join(" \\\n");
}
