/** Names and values in turn, as Node's parser found them. */
export type RawHeaders = readonly string[];

/** Hop-by-hop headers, which are never forwarded (RFC 9110, 7.6.1). */
const ofOneHop = [
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
];

/** Pairs of names and values without hop-by-hop headers and without those that `isDropped` selects by lower-case name. */
export function passedOn(raw: RawHeaders, isDropped: (name: string) => boolean = () => false): [string, string][] {
  const pairs = pairsOf(raw);
  const named = pairs
    .filter(([name]) => name.toLowerCase() === "connection")
    .flatMap(([, value]) => value.split(",").map((one) => one.trim().toLowerCase()));
  const left = new Set([...ofOneHop, ...named]);
  return pairs.filter(([name]) => !left.has(name.toLowerCase()) && !isDropped(name.toLowerCase()));
}

function pairsOf(raw: RawHeaders): [string, string][] {
  return Array.from({ length: Math.floor(raw.length / 2) }, (_, index) => [
    raw[2 * index] ?? "",
    raw[2 * index + 1] ?? "",
  ]);
}
