import { expect, it } from "vitest";
import { aPrebuiltImage } from "../../../../test/support/builders.ts";
import type { PrebuiltImageStatus } from "../../../api/v1alpha1/prebuilt-image.ts";
import type { ImageFacts } from "../facts.ts";
import { inputsDigest } from "./backoff.ts";
import type { Building } from "./ending.ts";
import { superviseBuild } from "./supervise.ts";

const now = new Date("2026-05-04T10:00:00.000Z");
const createTime = "2026-05-04T09:59:00.000Z";
const inputs = { fingerprint: "sha256:f", classImage: "sandbox:1" };
const at = (commit: string) => [{ repository: "web", commit: commit.repeat(40) }];
const limits = { bootTimeoutMs: 1_800_000 };

function building(step: Building["build"]["step"], failures?: PrebuiltImageStatus["failures"]): Building {
  return {
    failures,
    build: { number: 2, step, reason: "NewCommits", ...inputs, timeoutSeconds: 60 },
    sandbox: { attempt: 2, podName: "p", podUID: "u", createTime, connectTime: createTime },
  };
}

/** A build whose pod is gone, and what the gateway had noted of it. */
function lost(status: Building, lease: ImageFacts["lease"]): PrebuiltImageStatus {
  const facts: ImageFacts = {
    image: aPrebuiltImage("web", { status }),
    scope: { found: { ...inputs, repositories: ["web"], bounded: [] } },
    pods: [],
    secrets: [],
    isSilent: false,
    lease,
  };
  return superviseBuild(facts, status, now, limits).status;
}

const failures = {
  count: 1,
  reason: "SetupFailed",
  message: "no",
  inputs: inputsDigest(inputs),
  commits: at("a"),
  retryTime: now.toISOString(),
};

it.each<{ name: string; status: Building; lease: ImageFacts["lease"]; want: object | undefined }>([
  {
    name: "a build that had said its commits",
    status: building("Building"),
    lease: { isReady: false, buildCommits: at("b") },
    want: at("b"),
  },
  {
    name: "a build that had not come so far",
    status: building("Building", failures),
    lease: { isReady: false },
    want: undefined,
  },
  {
    name: "a check that had found others than failed before",
    status: building("Checking", failures),
    lease: { isReady: false, buildCommits: at("b") },
    want: at("b"),
  },
  {
    name: "a check that had not found any",
    status: building("Checking", failures),
    lease: { isReady: false },
    want: at("a"),
  },
  {
    name: "a check that had not found any, of other inputs than failed before",
    status: building("Checking", { ...failures, inputs: "sha256:o" }),
    lease: { isReady: false },
    want: undefined,
  },
])("the commits that fail with a lost sandbox: $name", ({ status, lease, want }) => {
  const { failures: known } = lost(status, lease);
  expect(known).toMatchObject({ reason: "SandboxLost" });
  expect(known?.commits).toEqual(want);
});
