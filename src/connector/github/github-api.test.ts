import { expect, it } from "vitest";

import type { Integration } from "../../api/v1alpha1/index.ts";
import { FakeClock } from "../../lib/fake-clock.ts";
import type { CallEnd } from "../call-observer.ts";
import { listDeliveries, readInstallation, readIssue, redeliver } from "./calls.ts";
import { GitHubApi } from "./github-api.ts";

const integration = { metadata: { name: "github", uid: "u" }, spec: {} } as Integration;

/** Calls without credentials, so that none goes out, and tells how it ended. */
async function endOf(call: (github: GitHubApi) => Promise<unknown>): Promise<CallEnd | undefined> {
  let end: CallEnd | undefined;
  const github = new GitHubApi({
    client: { find: () => Promise.resolve(undefined) },
    clock: new FakeClock(),
    tokensNamespace: "tokens",
    githubUrl: "https://github.invalid",
    observer: { called: (_integration, one) => void (end = one) },
    assertLeading: () => undefined,
  });
  await expect(call(github)).rejects.toThrow("no credentials yet");
  return end;
}

it.each<{ name: string; call: (github: GitHubApi) => Promise<unknown>; needsLess: boolean }>([
  {
    name: "a call for a repository",
    call: (github) => github.call(integration, "acme/api", readIssue(1)),
    needsLess: false,
  },
  { name: "the installation", call: (github) => github.callAsApp(integration, readInstallation(1)), needsLess: false },
  {
    name: "deliveries",
    call: (github) => github.callAsApp(integration, listDeliveries(1, undefined)),
    needsLess: true,
  },
  { name: "a redelivery", call: (github) => github.callAsApp(integration, redeliver(1)), needsLess: true },
])("$name needs less than an installed App: $needsLess", async ({ call, needsLess }) => {
  const end = await endOf(call);
  expect(end?.needsLess ?? false).toBe(needsLess);
  expect(end?.error?.failure).toBe("credentials");
});
