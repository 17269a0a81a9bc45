import { expect, it } from "vitest";

import { aSession } from "../../../test/support/builders.ts";
import type { Integration } from "../../api/v1alpha1/index.ts";
import { anyOpensFor } from "./asking.ts";

function integration(github: object | undefined, rest: object = {}, metadata: object = {}): Integration {
  return { metadata, spec: { type: "GitHub", suspend: false, github, ...rest } } as unknown as Integration;
}

const api = { repositories: [{ name: "web" }, { name: "api" }], pullRequests: "OnRequest" };
const onApi = { target: { repositoryRefs: [{ name: "api" }] } };

it.each([
  ["of an Integration that has the repository", [integration(api)], {}, true],
  ["of the second of two", [integration(undefined), integration(api)], {}, true],
  ["without an Integration", [], {}, false],
  ["of an Integration that opens none", [integration({ ...api, pullRequests: undefined })], {}, false],
  ["of an Integration that is suspended", [integration(api, { suspend: true })], {}, false],
  [
    "of an Integration that is being deleted",
    [integration(api, {}, { deletionTimestamp: "2026-11-24T12:00:00Z" })],
    {},
    false,
  ],
  ["of an Integration of other repositories", [integration({ ...api, repositories: [{ name: "web" }] })], {}, false],
  [
    "of an environment whose repository is noted",
    [integration(api)],
    { spec: { target: { environmentRef: { name: "e" } } }, status: { repositories: ["shop"] } },
    false,
  ],
  [
    "of an environment whose repository is not noted yet",
    [integration(api)],
    { spec: { target: { environmentRef: { name: "e" } } } },
    true,
  ],
])("a pull request %s is opened when asked: %s", (_name, integrations, session, want) => {
  expect(anyOpensFor(integrations, aSession({ spec: onApi, ...session }))).toBe(want);
});
