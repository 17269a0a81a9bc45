import { isIP } from "node:net";

const mostBits = new Map([
  [4, 32],
  [6, 128],
]);

/** Whether a text is an IPv4 or IPv6 range such as `10.0.0.0/8`, by the rules of CEL's `isCIDR`. */
export function isCidr(text: string): boolean {
  const [, address = "", bits = ""] = /^([0-9A-Fa-f:.]+)\/(0|[1-9][0-9]{0,2})$/.exec(text) ?? [];
  const most = mostBits.get(isIP(address));
  return most !== undefined && Number(bits) <= most && !isMapped(address);
}

/** Whether a text is an IPv4 or IPv6 address, by the rules of CEL's `isIP`. */
export function isIpAddress(text: string): boolean {
  return /^[0-9A-Fa-f:.]+$/.test(text) && isIP(text) !== 0 && !isMapped(text);
}

/** An IPv4 address in IPv6 notation, which Kubernetes refuses. */
function isMapped(address: string): boolean {
  if (!address.includes(":")) return false;
  return /^\[::ffff:[0-9a-f]+:[0-9a-f]+\]$/.test(new URL(`http://[${address}]`).hostname);
}
