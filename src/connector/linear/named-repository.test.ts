import { expect, it } from "vitest";

import { namedRepository } from "./named-repository.ts";

const candidates = [
  ...["acme/api", "acme/api-legacy", "acme/web"].map((fullName) => ({ fullName, hostname: "github.com" })),
  { fullName: "acme/shop a/_git/shop a", hostname: "dev.azure.com" },
  { fullName: "acme/team/app", hostname: "gitlab.com" },
].map((place, index) => ({ name: `repository-${index}`, ...place }));

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
  ["see https://GitHub.com:443/Acme/API/, please", "acme/api"],
  ["(https://github.com/acme/api.git).", "acme/api"],
  ["[api](https://github.com/acme/api)", "acme/api"],
  ["<https://www.github.com/acme/api>", "acme/api"],
  ["https://bot@github.com/acme/api.git", "acme/api"],
  ["git@github.com:acme/api.git", "acme/api"],
  ["`git clone git@github.com:acme/api-legacy.git`", "acme/api-legacy"],
  ["ssh://git@github.com/acme/api.git", "acme/api"],
  ["ssh://git@ssh.github.com:443/acme/api.git", "acme/api"],
  ["git@evil.example:acme/api.git", undefined],
  ["https://evil.example/https://github.com/acme/api", undefined],
  ["https://evil.example@github.com.example/acme/api", undefined],
  ["https://github.com:8443/acme/api.git and acme/web", undefined],
  ["https://dev.azure.com/acme/Shop%20A/_git/Shop%20A", "acme/shop a/_git/shop a"],
  ["https://acme@dev.azure.com/acme/Shop%20A/_git/Shop%20A.", "acme/shop a/_git/shop a"],
  ["https://gitlab.com/acme/team/app.git!", "acme/team/app"],
  ["https://gitlab.com/acme/team", undefined],
  ["https://github.com/acme/api and git@github.com:acme/web.git", undefined],
  ["éacme/api", undefined],
  ["acme/apié", undefined],
  ["", undefined],
])("%j names %s", (text, want) => {
  expect(namedRepository(text, candidates)?.fullName).toBe(want);
});
