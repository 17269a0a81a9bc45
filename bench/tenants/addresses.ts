/** One of 200 loopback addresses of a net, since each address has a limit of its own. */
export function addressOf(index: number, net: number): string {
  return `127.0.${net}.${1 + (index % 200)}`;
}
