import { describe, expect, it } from "vitest";

import type { Target } from "../../api/v1alpha1/index.ts";
import { decideTarget, targetQuestion, type Wanted } from "./target.ts";

const hostname = "github.com";
const candidate = (fullName: string): Wanted["candidates"][number] => ({
  name: fullName.slice("acme/".length),
  fullName,
  hostname,
});
const repository = (name: string): Target => ({ repositoryRef: { name } });
const environment = (name: string): Target => ({ environmentRef: { name } });
const project = "0b9e1c1e-0000-4000-8000-0000000000a1";

/** A request that nothing decides: two repositories, and Linear suggests none. */
function wanted(
  change: Partial<Omit<Wanted, "settings" | "event">> & { settings?: object; text?: string } = {},
): Wanted {
  const { settings, text = "fix it", ...rest } = change;
  return {
    settings: { organizationID: "", repositories: [], projects: [], teams: [], ...settings },
    event: { action: "Created", agentSessionID: "s", issueID: "i", teamKey: "ENG", text },
    issue: { projectId: project, labels: ["Frontend"] },
    candidates: [candidate("acme/api"), candidate("acme/web")],
    exists: ({ repositoryRef, environmentRef }) => ![repositoryRef?.name, environmentRef?.name].includes("gone"),
    suggestions: [],
    ...rest,
  };
}

/** A decision in one word. */
function word(of: Wanted): string {
  const decision = decideTarget(of);
  if (decision.kind !== "target") return decision.kind;
  return decision.target.environmentRef?.name ?? decision.target.repositoryRef?.name ?? "";
}

const ofProject = (target: Target): object => ({ projects: [{ id: project, target }] });
const plain = (target: Target): object => ({ key: "ENG", target });
const labelled = (label: string, target: Target): object => ({ key: "ENG", label, target });
const suggested = (repositoryFullName: string, confidence: number, host: string | null = null) => ({
  repositoryFullName,
  confidence,
  hostname: host,
});

describe("the target", () => {
  it.each<{ name: string; of: Wanted; want: string }>([
    { name: "1: the project's mapping", of: wanted({ settings: ofProject(repository("web")) }), want: "web" },
    { name: "1: the project's environment", of: wanted({ settings: ofProject(environment("shop")) }), want: "shop" },
    {
      name: "1: the project's mapping before the team's, and before what is named",
      of: wanted({
        settings: { ...ofProject(repository("web")), teams: [plain(repository("ops"))] },
        text: "in acme/api",
      }),
      want: "web",
    },
    {
      name: "1: none of another project",
      of: wanted({ settings: { projects: [{ id: "other", target: repository("web") }] } }),
      want: "ask",
    },
    {
      name: "1: none of an environment that was deleted",
      of: wanted({ settings: ofProject(environment("gone")), text: "in acme/api" }),
      want: "api",
    },
    {
      name: "2: the team's entry whose label the issue has, in any case",
      of: wanted({ settings: { teams: [plain(repository("ops")), labelled("frontEND", repository("web"))] } }),
      want: "web",
    },
    {
      name: "2: else the team's entry without a label",
      of: wanted({ settings: { teams: [labelled("backend", repository("web")), plain(repository("ops"))] } }),
      want: "ops",
    },
    {
      name: "2: the entry without a label where that with one leads to what is gone",
      of: wanted({ settings: { teams: [labelled("frontend", repository("gone")), plain(repository("ops"))] } }),
      want: "ops",
    },
    {
      name: "2: none of another team",
      of: wanted({ settings: { teams: [{ key: "OPS", target: repository("web") }] } }),
      want: "ask",
    },
    { name: "3: the one that is named", of: wanted({ text: "in acme/web please" }), want: "web" },
    {
      name: "3: what Linear suggests where two are named",
      of: wanted({ text: "acme/api or acme/web", suggestions: [suggested("acme/web", 0.9)] }),
      want: "web",
    },
    {
      name: "3: the only one",
      of: wanted({ candidates: [candidate("acme/api")], text: "in acme/unknown" }),
      want: "api",
    },
    { name: "4: a suggestion of 0.7", of: wanted({ suggestions: [suggested("Acme/Web", 0.7)] }), want: "web" },
    { name: "4: none of 0.69", of: wanted({ suggestions: [suggested("acme/web", 0.69)] }), want: "ask" },
    {
      name: "4: the most confident of two",
      of: wanted({ suggestions: [suggested("acme/api", 0.8), suggested("acme/web", 0.9)] }),
      want: "web",
    },
    {
      name: "4: no suggestion of a repository that the Integration does not name",
      of: wanted({ suggestions: [suggested("acme/other", 0.9)] }),
      want: "ask",
    },
    {
      name: "4: no suggestion of another host",
      of: wanted({ suggestions: [suggested("acme/web", 0.9, "git.example.com")] }),
      want: "ask",
    },
    { name: "6: asked for where nothing decides", of: wanted(), want: "ask" },
    { name: "6: asked for where there is no repository", of: wanted({ candidates: [] }), want: "ask" },
    {
      name: "6: asked for where there is no issue that Linear could suggest by",
      of: wanted({ issue: undefined, suggestions: undefined }),
      want: "ask",
    },
    { name: "not decided before Linear was asked", of: wanted({ suggestions: undefined }), want: "suggest" },
  ])("is $name", ({ of, want }) => {
    expect(word(of)).toBe(want);
  });
});

it("a question lists 20 repositories, and how many more there are", () => {
  const names = Array.from({ length: 21 }, (_, index) => candidate(`acme/r${index}`));
  expect(targetQuestion(names).split("\n")).toHaveLength(22);
  expect(targetQuestion(names).endsWith("- and 1 more")).toBe(true);
  expect(targetQuestion(names.slice(1)).endsWith("- acme/r20")).toBe(true);
  expect(targetQuestion([])).toContain("Ask the operator");
});
