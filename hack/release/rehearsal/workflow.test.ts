import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { leftOut, platformsHere, standInActions } from "./actions.ts";
import { evaluate, expressionsIn, inOrder, outputsIn, readWorkflow, withPlatforms } from "./workflow.ts";

const file = join(import.meta.dirname, "..", "..", "..", ".github", "workflows", "release.yml");

describe("the release workflow", () => {
  it("has no action, left-out script or expression that the rehearsal does not know", async () => {
    const text = await readFile(file, "utf8");
    const steps = Object.values(readWorkflow(text).jobs).flatMap((job) => job.steps);
    const known = Object.keys(standInActions({ repository: "", tag: "", commit: "" }, "", () => undefined));
    const used = steps.flatMap(({ uses }) => (uses === undefined ? [] : [uses.replace(/@.*/, "")]));
    const scripts = steps.map(({ run }) => run);

    expect(used.filter((action) => !known.includes(action))).toEqual([]);
    expect(known.filter((action) => !used.includes(action))).toEqual([]);
    expect(Object.keys(leftOut).filter((script) => !scripts.includes(script))).toEqual([]);
    const all = { github: {}, secrets: {}, needs: {}, matrix: {}, env: {}, steps: {} };
    for (const expression of expressionsIn(text)) expect(() => evaluate(`\${{ ${expression} }}`, all)).not.toThrow();
  });
});

describe("withPlatforms", () => {
  it("changes the platforms of one target, as the rehearsal has it, and of no other", async () => {
    const workflow = readWorkflow(await readFile(file, "utf8"));
    const platformsOf = ({ jobs }: typeof workflow): unknown[] =>
      (jobs.images?.strategy?.matrix.include ?? []).map(({ target, platforms }) => [target, platforms]);
    const all = "linux/amd64,linux/arm64";
    const changed = withPlatforms(workflow, platformsHere);
    expect(platformsOf(changed)).toEqual([
      ["operator", all],
      ["sandbox", "linux/amd64"],
    ]);
    expect(platformsOf(workflow)).toEqual([
      ["operator", all],
      ["sandbox", all],
    ]);
  });

  it("refuses a target that the matrix does not have", () => {
    expect(() => withPlatforms({ jobs: {} }, { other: "" })).toThrow("the workflow builds no other for platforms");
  });
});

describe("inOrder", () => {
  it("gives jobs after those that they need", () => {
    const jobs = { a: { steps: [] }, b: { needs: "a", steps: [] }, c: { needs: ["a", "b"], steps: [] } };
    expect(inOrder({ jobs })).toEqual(["a", "b", "c"]);
  });

  it("refuses a job that stands before one that it needs", () => {
    const jobs = { a: { needs: ["b", "c"], steps: [] }, b: { steps: [] } };
    expect(() => inOrder({ jobs })).toThrow("job a needs b, c, which must stand before it");
  });
});

describe("evaluate", () => {
  const context = { github: { ref_name: "v1.2.3" }, steps: { build: { outputs: { digest: "sha256:0" } } } };

  it.each([
    ["a path", "at ${{ github.ref_name }}!", "at v1.2.3!"],
    ["two paths", "${{github.ref_name}}@${{ steps.build.outputs.digest }}", "v1.2.3@sha256:0"],
    ["an output that was not given", "<${{ steps.build.outputs.other }}>", "<>"],
    ["a step that gave none", "<${{ steps.check.outputs.other }}>", "<>"],
    ["no expression", "$TAG", "$TAG"],
  ])("takes %s", (_name, text, wanted) => {
    expect(evaluate(text, context)).toBe(wanted);
  });

  it.each([
    ["an unknown name", "${{ vars.registry }}"],
    ["a function", "${{ hashFiles('package.json') }}"],
    ["an operator", "${{ github.ref_name || 'main' }}"],
  ])("refuses %s", (_name, text) => {
    expect(() => evaluate(text, context)).toThrow(`the rehearsal cannot evaluate ${text}`);
  });
});

describe("outputsIn", () => {
  it("takes a line each, and values with an equals sign", () => {
    expect(outputsIn("a=1\nb=x=y\n\n")).toEqual({ a: "1", b: "x=y" });
  });
});
