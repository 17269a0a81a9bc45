import { expect, it } from "vitest";

import { namedRepository } from "./named-repository.ts";

const candidates = ["acme/api", "acme/api-legacy", "acme/web"].map((fullName) => ({
  name: fullName.replace("/", "-"),
  fullName,
  hostname: "github.com",
}));

it.each([
  ["please fix acme/api", "acme/api"],
  ["fix Acme/API.", "acme/api"],
  ["(acme/api)", "acme/api"],
  ["acme/api-legacy is broken", "acme/api-legacy"],
  ["notacme/api", undefined],
  ["acme/api.docs", undefined],
  ["not.acme/api", undefined],
  ["use acme/api...", "acme/api"],
  ["acme/api/issues", undefined],
  ["acme/api and acme/web", undefined],
  ["acme/api, yes acme/api", "acme/api"],
  ["acme/unknown", undefined],
  ["https://github.com/acme/api", "acme/api"],
  ["https://github.com/acme/api.git", "acme/api"],
  ["https://github.com/acme/api/issues", undefined],
  ["https://evil.example/acme/api", undefined],
  ["éacme/api", undefined],
  ["acme/apié", undefined],
  ["", undefined],
])("%j names %s", (text, want) => {
  expect(namedRepository(text, candidates)?.fullName).toBe(want);
});
