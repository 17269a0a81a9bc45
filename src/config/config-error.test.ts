import { expect, it } from "vitest";

import { ConfigError } from "./config-error.ts";

it.each([
  ["ftp://user:planted@host:4318/v1", "ftp://***@host:4318/v1"],
  ["ftp://plant:ed@ho@st,http://planted@host", "ftp://***@st,http://***@host"],
  ["mailto:me@example.com", "mailto:me@example.com"],
  ["ftp://host/@scope", "ftp://host/@scope"],
])("%s is shown as %s", (value, shown) => {
  const { message } = new ConfigError("NAME", value, "it must be a URL", "the default is none");
  expect(message).toBe(`NAME is "${shown}", but it must be a URL; the default is none`);
});
