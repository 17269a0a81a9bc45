import { passedOn, type RawHeaders } from "../../lib/raw-headers.ts";
import type { TunnelPath } from "./tunnel-path.ts";

/** What a server behind a port is not to learn, and what only we may say to it. */
const notForSandbox = new Set([
  "authorization",
  "host",
  "forwarded",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-port",
  "x-forwarded-prefix",
  "x-forwarded-proto",
  "x-real-ip",
]);

/** What would bind the gateway's whole origin, of which a sandbox has one folder. */
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

/** Headers that the gateway's replicas say to each other. */
const ownPrefix = "runwright-";

/** Which port answers, and under which address it was asked. */
export interface AnsweredPort extends Pick<TunnelPath, "port" | "prefix" | "rest"> {
  /** The `Host` that the person asked. */
  host: string;
}

/** What the server behind the port gets of a request's headers. */
export function headersForSandbox(raw: RawHeaders, to: AnsweredPort): string[] {
  return [
    ...passedOn(raw, (name) => notForSandbox.has(name) || name.startsWith(ownPrefix)).flat(),
    // Development servers take requests for localhost alone.
    ...["host", `localhost:${to.port}`],
    ...["x-forwarded-host", to.host],
    ...["x-forwarded-proto", "https"],
    ...["x-forwarded-prefix", to.prefix],
  ];
}

/** What people get of an answer's headers. */
export function headersForCaller(raw: RawHeaders, from: AnsweredPort): string[] {
  return passedOn(raw, (name) => notForOrigin.has(name)).flatMap(([name, value]) => {
    const key = name.toLowerCase();
    if (key === "set-cookie") return [name, confineCookie(value, from.prefix)];
    return key === "location" ? [name, confineLocation(value, from)] : [name, value];
  });
}

/** What one replica passes on to another, or back: all but what is one connection's. */
export function headersForReplica(raw: RawHeaders): string[] {
  return passedOn(raw).flat();
}

/** A cookie is for the port's own folder, whatever the sandbox asked for. */
export function confineCookie(cookie: string, prefix: string): string {
  const [pair = "", ...attributes] = cookie.split(";").map((part) => part.trim());
  const path = attributes.find((one) => /^path=\//i.test(one))?.slice("path=".length) ?? "/";
  const kept = attributes.filter((one) => !/^(path|domain)\s*(=|$)/i.test(one));
  // `__Host-` cookies would have to be for the whole origin.
  return [pair.replace(/^__host-/i, ""), ...kept, `Path=${prefix}${path}`].join("; ");
}

/**
 * A redirect stays in the port's folder or leaves the gateway: one to another path of the gateway would be followed by
 * programs with the person's token.
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
