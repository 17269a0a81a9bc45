/**
 * IPv4 ranges that are not the internet: this network, private, shared, loopback, link-local (where clouds keep their
 * metadata), protocol assignments, documentation, relays, benchmarks, multicast, reserved; last the one address of a
 * cloud's metadata that looks public.
 */
export const nonPublicIpv4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
  "168.63.129.16/32",
] as const;

/**
 * Of IPv6 only global unicast is the internet, which leaves out loopback, link-local, unique local (where clouds keep
 * their metadata), multicast, mapped and translated IPv4.
 */
export const publicIpv6 = "2000::/3";

/** Within {@link publicIpv6}: tunnels that lead back to any IPv4 address, documentation. */
export const nonPublicIpv6 = ["2001::/32", "2001:db8::/32", "2002::/16", "3fff::/20"] as const;
