import type { IncomingHttpHeaders } from "node:http";

/** Why a request is refused, as its answer says. */
export interface Refused {
  status: 403 | 405 | 415;
  error: string;
}

type Headers = Pick<IncomingHttpHeaders, "sec-fetch-mode" | "sec-fetch-site" | "content-type">;

/** `none`: a person typed the address. */
const sites: readonly unknown[] = ["same-origin", "none"];

/** Media types that forms cannot send, so that other sites would need a preflight, which is never answered. */
const sendable = ["application/json", "application/octet-stream"];

/**
 * Refuses requests that other sites cause. Browsers set `Sec-Fetch-Site` and pages cannot; a write needs it, and a read is
 * refused where it names another site. Navigations may come from anywhere, as links to the page do.
 */
export function refusalOf(method: string, headers: Headers): Refused | undefined {
  if (method === "GET" || method === "HEAD") return refusalOfRead(headers);
  if (method === "POST") return refusalOfWrite(headers);
  return { status: 405, error: "the method must be GET, HEAD or POST" };
}

function refusalOfRead(headers: Headers): Refused | undefined {
  const site = headers["sec-fetch-site"];
  if (site === undefined || sites.includes(site) || headers["sec-fetch-mode"] === "navigate") return undefined;
  return { status: 403, error: "other sites may not read from here" };
}

function refusalOfWrite(headers: Headers): Refused | undefined {
  if (headers["sec-fetch-site"] !== "same-origin") {
    return { status: 403, error: "writes must come from this site's own page" };
  }
  const type = headers["content-type"]?.split(";")[0]?.trim().toLowerCase() ?? "";
  if (sendable.includes(type)) return undefined;
  return { status: 415, error: `the Content-Type must be ${sendable.join(" or ")}` };
}
