import { networkInterfaces } from "node:os";

/** An address of this machine's that is not loopback: pods reach it. */
export function addressForPods(): string {
  const addresses = Object.values(networkInterfaces()).flatMap((ofOne) => ofOne ?? []);
  const found = addresses.find(({ family, internal }) => family === "IPv4" && !internal);
  if (!found) throw new Error("this machine has no address but loopback");
  return found.address;
}
