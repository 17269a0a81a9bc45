import { passedOn, type RawHeaders } from "../../lib/raw-headers.ts";
import type { TunnelPath } from "./tunnel-path.ts";

/**
 * Request headers that servers in sandboxes get: those of HTTP, browsers, WebSocket and traces, and those by which frameworks for web
 * applications speak to their own pages. All others stay out, since a proxy before the gateway may put credentials and identities of
 * the caller into headers of any name.
 */
const forSandbox = new Set([
  ...["cache-control", "cookie", "date", "dnt", "expect", "last-event-id", "origin", "pragma"],
  ...[
    "priority",
    "range",
    "referer",
    "save-data",
    "traceparent",
    "tracestate",
    "upgrade-insecure-requests",
    "user-agent",
  ],
  ...["x-csrf-token", "x-csrftoken", "x-http-method-override", "x-requested-with", "x-xsrf-token"],
  ...["rsc", "turbo-frame", "x-livewire", "x-grpc-web", "grpc-timeout", "connect-protocol-version"],
]);
const prefixesForSandbox = [
  ...["accept", "access-control-request-", "content-", "if-", "sec-"],
  ...["hx-", "next-", "x-inertia", "x-nextjs-", "x-remix-", "x-sveltekit-", "x-turbo-"],
];

/** Response headers that would apply to the gateway's whole origin, while a sandbox has one folder of it. */
const notForOrigin = new Set([
  "alt-svc",
  "clear-site-data",
  "nel",
  "origin-trial",
  "public-key-pins",
  "report-to",
  "reporting-endpoints",
  "service-worker-allowed",
  "strict-transport-security",
]);

/** A port and the address at which the caller requested it. */
export interface AnsweredPort extends Pick<TunnelPath, "port" | "prefix" | "rest"> {
  /** `Host` of the request. */
  host: string;
}

/** Request headers for the server behind the port; `added` are lower-case names that the installation lets through, too. */
export function headersForSandbox(raw: RawHeaders, to: AnsweredPort, added: readonly string[]): string[] {
  const isForSandbox = (name: string): boolean =>
    forSandbox.has(name) || prefixesForSandbox.some((prefix) => name.startsWith(prefix)) || added.includes(name);
  return [
    ...passedOn(raw, (name) => !isForSandbox(name)).flat(),
    // Development servers accept requests for localhost only.
    ...["host", `localhost:${to.port}`],
    ...["x-forwarded-host", to.host],
    ...["x-forwarded-proto", "https"],
    ...["x-forwarded-prefix", to.prefix],
  ];
}

/** Response headers for the caller. */
export function headersForCaller(raw: RawHeaders, from: AnsweredPort): string[] {
  return passedOn(raw, (name) => notForOrigin.has(name)).flatMap(([name, value]) => {
    const key = name.toLowerCase();
    if (key === "set-cookie") return [name, confineCookie(value, from.prefix)];
    return key === "location" ? [name, confineLocation(value, from)] : [name, value];
  });
}

/** Headers between replicas: all except hop-by-hop headers. */
export function headersForReplica(raw: RawHeaders): string[] {
  return passedOn(raw).flat();
}

/** Limits a cookie to the port's own folder. */
export function confineCookie(cookie: string, prefix: string): string {
  const [pair = "", ...attributes] = cookie.split(";").map((part) => part.trim());
  const path = attributes.find((one) => /^path=\//i.test(one))?.slice("path=".length) ?? "/";
  const kept = attributes.filter((one) => !/^(path|domain)\s*(=|$)/i.test(one));
  // `__Host-` cookies must apply to the whole origin.
  return [pair.replace(/^__host-/i, ""), ...kept, `Path=${prefix}${path}`].join("; ");
}

/**
 * A redirect stays in the port's folder or leaves the gateway: programs would follow one to another path of the gateway
 * with the caller's token.
 */
export function confineLocation(location: string, { port, prefix, host, rest }: AnsweredPort): string {
  const base = `http://localhost:${port}${rest}`;
  if (!URL.canParse(location, base)) return `${prefix}/`;
  const { protocol, hostname, pathname, search, hash, href } = new URL(location, base);
  if (protocol !== "http:" && protocol !== "https:") return `${prefix}/`;
  const ours = [
    "localhost",
    "127.0.0.1",
    "[::1]",
    URL.canParse(`http://${host}`) && new URL(`http://${host}`).hostname,
  ];
  return ours.includes(hostname) ? `${prefix}${pathname}${search}${hash}` : href;
}
