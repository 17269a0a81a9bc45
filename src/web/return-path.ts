import { isPageAddress } from "../page-server/page-address.ts";

/** Characters of a path that a sign-in leads back to. */
const longestPath = 1_000;

/** The path of the page that a sign-in leads back to; `/` for anything that is none. */
export function returnPath(to: string | null): string {
  const origin = "http://page";
  if (to === null || to.length > longestPath || !URL.canParse(to, origin)) return "/";
  const url = new URL(to, origin);
  return url.origin === origin && isPageAddress(url.pathname) ? `${url.pathname}${url.search}` : "/";
}
