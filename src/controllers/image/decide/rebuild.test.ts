import { describe, expect, it } from "vitest";
import type { BuiltImage } from "../../../api/v1alpha1/prebuilt-image.ts";
import { failuresAhead, inputsDigest, withFailure } from "./backoff.ts";
import { commitsToCompare, decideRebuild, type RebuildFacts } from "./rebuild.ts";

const now = new Date("2026-05-04T10:00:00.000Z");
const commits = [
  { repository: "web", commit: "a".repeat(40) },
  { repository: "api", commit: "b".repeat(40) },
];
const inputs = { fingerprint: "sha256:f", classImage: "sandbox:1" };
const image: BuiltImage = {
  build: 3,
  archive: "x",
  digest: "sha256:d",
  bytes: 1,
  ...inputs,
  commits,
  runtimeVersion: 10,
  architecture: "amd64",
  secretsMAC: "m",
  time: now.toISOString(),
};
const versions = { compatible: 5, rebuild: 10 };
const facts: RebuildFacts = {
  isEnabled: true,
  isBuilding: false,
  isRequested: false,
  image,
  failures: undefined,
  inputs,
  secretsMAC: "m",
  repositories: ["web", "api"],
  versions,
};
const check = { kind: "check", reason: "NewCommits", unless: commits };
const failed = withFailure(
  undefined,
  { reason: "SetupFailed", message: "no", inputs: inputsDigest(inputs), secretsMAC: "m", commits },
  now,
);
const blind = { ...failed, commits: undefined };

describe("whether an image is built (03 4.5)", () => {
  it.each<{ name: string; given: Partial<RebuildFacts>; want: object }>([
    { name: "rows 1 to 6: one that serves is checked", given: {}, want: check },
    {
      name: "one that an earlier version made of the same is checked",
      given: { inputs: { ...inputs, fingerprint: "sha256:new", formerFingerprint: inputs.fingerprint } },
      want: check,
    },
    {
      name: "row 17: a disabled one is not looked at",
      given: { isEnabled: false, image: undefined },
      want: { kind: "nothing" },
    },
    {
      name: "rows 14 and 21: one build at a time",
      given: { isBuilding: true, isRequested: true },
      want: { kind: "nothing" },
    },
    {
      name: "on request, also up to date",
      given: { isRequested: true },
      want: { kind: "build", reason: "RebuildRequested" },
    },
    {
      name: "on request, also held back",
      given: { isRequested: true, failures: failed },
      want: { kind: "build", reason: "RebuildRequested" },
    },
    { name: "row 12: none yet", given: { image: undefined }, want: { kind: "build", reason: "MissingImage" } },
    {
      name: "row 7: a list in another order",
      given: { inputs: { ...inputs, fingerprint: "sha256:g" } },
      want: { kind: "build", reason: "MissingImage" },
    },
    {
      name: "another container image",
      given: { inputs: { ...inputs, classImage: "sandbox:2" } },
      want: { kind: "build", reason: "MissingImage" },
    },
    {
      name: "row 8: a runtime one below the floor",
      given: { image: { ...image, runtimeVersion: 9 } },
      want: { kind: "build", reason: "OutdatedRuntime" },
    },
    { name: "a runtime one above the floor", given: { image: { ...image, runtimeVersion: 11 } }, want: check },
    {
      name: "row 11: a Repository without a commit",
      given: { image: { ...image, commits: commits.slice(0, 1) } },
      want: { kind: "build", reason: "MissingImage" },
    },
    { name: "other secrets", given: { secretsMAC: "n" }, want: { kind: "build", reason: "SecretsChanged" } },
    {
      name: "fingerprint before runtime",
      given: { inputs: { ...inputs, fingerprint: "sha256:g" }, image: { ...image, runtimeVersion: 9 } },
      want: { kind: "build", reason: "MissingImage" },
    },
    {
      name: "runtime before secrets",
      given: { image: { ...image, runtimeVersion: 9 }, secretsMAC: "n" },
      want: { kind: "build", reason: "OutdatedRuntime" },
    },
    {
      name: "row 13: a failed build is only checked for other commits",
      given: { image: undefined, failures: failed },
      want: check,
    },
    {
      name: "row 16: none beside one of what was cloned before",
      given: { isBuilding: true, image: undefined, inputs: { ...inputs, fingerprint: "sha256:g" } },
      want: { kind: "nothing" },
    },
    { name: "row 18: one that serves counts beside a newer failed build", given: { failures: failed }, want: check },
    {
      name: "row 9: a runtime below the floor that still serves",
      given: { image: { ...image, runtimeVersion: 4 } },
      want: { kind: "build", reason: "OutdatedRuntime" },
    },
    {
      name: "one that failed at unknown commits is looked at all the same, and built where the branches can be read",
      given: { image: undefined, failures: blind },
      want: { ...check, unless: [] },
    },
    {
      name: "beside an image, where they are not that image's",
      given: { failures: blind, image: { ...image, runtimeVersion: 9 } },
      want: check,
    },
    {
      name: "with other secrets it does not wait",
      given: { image: undefined, failures: blind, secretsMAC: "n" },
      want: { kind: "build", reason: "Retry" },
    },
    {
      name: "with other inputs it does not wait",
      given: { image: undefined, failures: { ...blind, inputs: "sha256:o" } },
      want: { kind: "build", reason: "Retry" },
    },
  ])("$name", ({ given, want }) => {
    expect(decideRebuild({ ...facts, ...given }, now)).toEqual(want);
  });
});

describe("failures with the same inputs", () => {
  const held = { inputs: inputsDigest(inputs), secretsMAC: "m" };
  it.each([
    { offsetMs: -1, isHeld: true },
    { offsetMs: 0, isHeld: false },
    { offsetMs: 1, isHeld: false },
  ])("hold a build back until their retry ($offsetMs ms)", ({ offsetMs, isHeld }) => {
    const at = new Date(Date.parse(failed.retryTime) + offsetMs);
    expect(failuresAhead(failed, held, at) !== undefined).toBe(isHeld);
    const want = isHeld ? check : { kind: "build", reason: "Retry" };
    expect(decideRebuild({ ...facts, image: undefined, failures: failed }, at)).toEqual(want);
  });

  it("wait for twice as long each time, up to a day", () => {
    const waits = [];
    let failures = undefined as typeof failed | undefined;
    for (let tries = 0; tries < 8; tries += 1) {
      const more = { reason: "SetupFailed", message: "no", inputs: held.inputs, secretsMAC: "m", commits };
      failures = withFailure(failures, more, now);
      waits.push((Date.parse(failures.retryTime) - now.getTime()) / 60_000);
    }
    expect(waits).toEqual([30, 60, 120, 240, 480, 960, 1_440, 1_440]);
    expect(failures?.count).toBe(8);
  });

  it("go on being counted where the API server gives the members of a commit in another order", () => {
    const stored = commits.map(({ repository, commit }) => ({ commit, repository }));
    const more = { reason: "SetupFailed", message: "no", inputs: held.inputs, secretsMAC: "m", commits };
    expect(withFailure({ ...failed, commits: stored }, more, now).count).toBe(2);
  });

  it.each([
    { name: "secrets", more: { secretsMAC: "n" } },
    { name: "inputs", more: { inputs: "sha256:o" } },
    { name: "commits", more: { commits: commits.toReversed() } },
  ])("are counted anew with other $name", ({ more }) => {
    const given = { reason: "SetupFailed", message: "no", inputs: held.inputs, secretsMAC: "m", commits, ...more };
    expect(withFailure({ ...failed, count: 5 }, given, now).count).toBe(1);
  });
});

describe("what a check compares the branches with", () => {
  const [web, api] = commits;
  it.each([
    { name: "the commits that failed last", failures: { ...failed, commits: [api!] }, image, want: [api] },
    { name: "else those of the image", failures: blind, image, want: [web, api] },
    { name: "else none", failures: blind, image: undefined, want: [] },
    { name: "those of the image once a failed build may be tried again", failures: undefined, image, want: [web, api] },
  ])("$name", ({ failures, image: built, want }) => {
    expect(commitsToCompare(failures, built)).toEqual(want);
  });
});
