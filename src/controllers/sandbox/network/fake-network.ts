import { BlockList, isIP } from "node:net";

/** Whether an address lies in a range such as 10.1.2.0/24, as a network plugin judges. */
export function covers(range: string, address: string): boolean {
  const [net = "", bits] = range.split("/");
  if (isIP(net) !== isIP(address)) return false;
  const list = new BlockList();
  list.addSubnet(net, Number(bits), isIP(net) === 4 ? "ipv4" : "ipv6");
  return list.check(address, isIP(address) === 4 ? "ipv4" : "ipv6");
}
