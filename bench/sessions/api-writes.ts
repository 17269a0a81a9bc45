import type { ApiClient } from "../../test/support/api-client.ts";

/** How often the API server was written to so far, by what, such as `PATCH leases`. */
export type Writes = ReadonlyMap<string, number>;

const writing = ["POST", "PUT", "PATCH", "APPLY", "DELETE"];

/** What the API server itself has counted, everybody's requests together. */
export async function readWrites(api: ApiClient): Promise<Writes> {
  const { body } = await api.send("GET", "/metrics");
  const counts = new Map<string, number>();
  for (const [, labels = "", count] of String(body).matchAll(/^apiserver_request_total\{([^}]*)\} (\S+)$/gm)) {
    const [verb, resource, subresource] = ["verb", "resource", "subresource"].map((name) => labelOf(labels, name));
    if (verb === undefined || resource === undefined) continue;
    if (!writing.includes(verb)) continue;
    const what = `${verb} ${resource}${subresource ? `/${subresource}` : ""}`;
    counts.set(what, (counts.get(what) ?? 0) + Number(count));
  }
  return counts;
}

function labelOf(labels: string, name: string): string | undefined {
  return new RegExp(`(?:^|,)${name}="([^"]*)"`).exec(labels)?.[1];
}

/** What was written between two readings. */
export function writesBetween(before: Writes, after: Writes): Record<string, number> {
  const rows = [...after].map(([what, count]) => [what, count - (before.get(what) ?? 0)] as const);
  return Object.fromEntries(rows.filter(([, count]) => count > 0));
}
