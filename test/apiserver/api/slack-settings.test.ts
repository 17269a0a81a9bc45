import { beforeAll, describe, expect, it } from "vitest";

import { makeNamespace, testApi } from "../../support/cluster.ts";

let namespace: string;

beforeAll(async () => {
  namespace = await makeNamespace("slack-settings");
});

const target = { repositoryRef: { name: "api" } };
const rule = (keyword: string): object => ({ keyword, target });

/** What the API server says to an Integration of type Slack, which it does not store; like kubectl it refuses unknown fields. */
async function judge(slack: object, spec: object = {}): Promise<{ status: number; message: string }> {
  const path = `/apis/runwright.dev/v1alpha1/namespaces/${namespace}/integrations?dryRun=All&fieldValidation=Strict`;
  const { status, body } = await testApi().send("POST", path, {
    apiVersion: "runwright.dev/v1alpha1",
    kind: "Integration",
    metadata: { name: "slack" },
    spec: {
      type: "Slack",
      serviceAccountName: "runner",
      signingSecretRef: { name: "s" },
      credentialsSecretRef: { name: "s" },
      slack: { teamID: "T0ACME", ...slack },
      ...spec,
    },
  });
  return { status, message: (body as { message?: string }).message ?? "" };
}

describe("routing rules", () => {
  it.each([
    { name: "a keyword of 100 characters", rules: [rule("é".repeat(100))] },
    { name: "a keyword with spaces around it", rules: [rule(" API ")] },
    { name: "100 rules", rules: Array.from({ length: 100 }, (_, index) => rule(`k${index}`)) },
    { name: "two rules that are the same", rules: [rule("api"), rule("api")] },
    {
      name: "a keyword with two targets",
      rules: [rule("api"), { keyword: "api", target: { environmentRef: { name: "e" } } }],
    },
  ])("$name are saved", async ({ rules }) => {
    expect(await judge({ rules })).toMatchObject({ status: 201 });
  });

  it.each([
    { name: "a keyword of 101 characters", rules: [rule("é".repeat(101))], says: "keyword" },
    { name: "a blank keyword", rules: [rule("   ")], says: "keyword" },
    { name: "101 rules", rules: Array.from({ length: 101 }, (_, index) => rule(`k${index}`)), says: "rules" },
    { name: "an unknown field", rules: [{ ...rule("api"), pattern: true }], says: "pattern" },
    { name: "no target", rules: [{ keyword: "api" }], says: "target" },
  ])("$name are refused", async ({ rules, says }) => {
    const { status, message } = await judge({ rules });
    expect(status).toBeGreaterThanOrEqual(400);
    expect(message).toContain(says);
  });
});

it.each([
  { length: 10_000, isSaved: true },
  { length: 10_001, isSaved: false },
])("session instructions of $length characters are saved: $isSaved", async ({ length, isSaved }) => {
  const { status, message } = await judge({}, { sessionInstructions: "é".repeat(length) });
  expect(status === 201).toBe(isSaved);
  if (!isSaved) expect(message).toContain("sessionInstructions");
});

it("an unknown setting is refused", async () => {
  expect((await judge({ preferences: {} })).message).toContain("preferences");
});

describe("user groups", () => {
  const groups = (count: number): string[] => Array.from({ length: count }, (_, index) => `S${index}`);

  it.each([
    { name: "20", access: { userGroups: groups(20) }, isSaved: true },
    { name: "21", access: { userGroups: groups(21) }, isSaved: false },
    { name: "a handle", access: { userGroups: ["@ops"] }, isSaved: false },
    { name: "a person's id", access: { userGroups: ["U0ANN"] }, isSaved: false },
  ])("$name: $isSaved", async ({ access, isSaved }) => {
    const { status, message } = await judge({}, { access });
    expect(status === 201).toBe(isSaved);
    if (!isSaved) expect(message).toContain("userGroups");
  });

  it("are of Slack alone", async () => {
    const linear = { organizationID: "0b9e1c1e-0000-4000-8000-000000000001" };
    const spec = { type: "Linear", slack: undefined, linear, access: { userGroups: groups(1) } };
    expect((await judge({}, spec)).message).toContain("channels and userGroups of Slack");
  });
});
