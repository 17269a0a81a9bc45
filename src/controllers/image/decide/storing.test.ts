import { describe, expect, it } from "vitest";
import { aPrebuiltImage } from "../../../../test/support/builders.ts";
import type { ImageFacts } from "../facts.ts";
import type { BuildInputs } from "./backoff.ts";
import type { Building } from "./ending.ts";
import { withReports } from "./reports.ts";
import { inputsChange } from "./storing.ts";

const stored = { fingerprint: "sha256:f", classImage: "sandbox:1" };
const createTime = "2026-05-04T09:59:00.000Z";
const status: Building = {
  build: { number: 2, step: "Building", reason: "NewCommits", ...stored, timeoutSeconds: 60 },
  sandbox: { attempt: 2, podName: "p", podUID: "u", createTime, connectTime: createTime },
};

describe("a build while what it is made from", () => {
  it.each<{ name: string; now: BuildInputs; isChanged: boolean }>([
    { name: "is the same", now: stored, isChanged: false },
    {
      name: "is the same as an earlier version saw it",
      now: { ...stored, fingerprint: "sha256:new", formerFingerprint: "sha256:f" },
      isChanged: false,
    },
    { name: "has changed", now: { ...stored, fingerprint: "sha256:new" }, isChanged: true },
    {
      name: "has changed in another class's image",
      now: { ...stored, classImage: "sandbox:2" },
      isChanged: true,
    },
  ])("$name: $isChanged", ({ now, isChanged }) => {
    const facts: ImageFacts = {
      image: aPrebuiltImage("web", { status }),
      scope: { found: { ...now, repositories: ["web"], bounded: [] } },
      pods: [],
      secrets: [],
      isSilent: false,
    };
    expect(inputsChange(status, now) !== undefined).toBe(isChanged);
    expect(withReports(facts, status).build.wanted).toBe(isChanged ? true : undefined);
  });
});
