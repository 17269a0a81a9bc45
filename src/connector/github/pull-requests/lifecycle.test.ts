import { expect, it } from "vitest";

import type { PullRequest } from "../../../api/v1alpha1/index.ts";
import { renamedStatus, repositoryOf } from "./lifecycle.ts";

function pullRequest(repository?: string): PullRequest {
  return { metadata: { name: "p" }, spec: { repository: "acme/api" } as PullRequest["spec"], status: { repository } };
}

it.each<{ known?: string; name: string | undefined; want: string | undefined }>([
  { name: "acme/api", want: undefined },
  { name: "Acme/API", want: undefined },
  { name: undefined, want: undefined },
  { name: "Acme/Shop", want: "acme/shop" },
  { known: "acme/shop", name: "acme/shop", want: undefined },
  { known: "acme/shop", name: "acme/store", want: "acme/store" },
  { known: "acme/shop", name: "acme/api", want: "acme/api" },
])("a repository known as $known that an event calls $name is renamed to $want", ({ known, name, want }) => {
  const before = pullRequest(known);
  const status = renamedStatus(before, name);
  expect(status && repositoryOf({ ...before, status })).toBe(want);
});
