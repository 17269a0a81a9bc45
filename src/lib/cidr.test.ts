import { expect, it } from "vitest";
import { isCidr, isIpAddress } from "./cidr.ts";

it.each(["10.0.0.0/8", "10.1.2.3/8", "0.0.0.0/0", "192.0.2.1/32", "fd00::/8", "::/0", "2001:db8::1/128"])(
  "takes %s",
  (text) => {
    expect(isCidr(text)).toBe(true);
  },
);

it.each([
  "",
  "10.0.0.0",
  "10.0.0.0/33",
  "10.0.0.0/08",
  "10.0.0/8",
  "010.0.0.0/8",
  "fd00::/129",
  "fd00::1%eth0/64",
  "::ffff:10.0.0.0/104",
  "::ffff:a00:0/104",
  "example.com/8",
])("refuses %s", (text) => {
  expect(isCidr(text)).toBe(false);
});

it.each(["10.1.2.3", "0.0.0.0", "fd00::1", "::"])("takes the address %s", (text) => {
  expect(isIpAddress(text)).toBe(true);
});

it.each(["", "10.0.0.0/8", "10.0.0", "010.0.0.1", "fe80::1%eth0", "::ffff:10.0.0.1", "example.com"])(
  "refuses the address %s",
  (text) => {
    expect(isIpAddress(text)).toBe(false);
  },
);
