import { describe, expect, it } from "vitest";
import { aPrebuiltImage } from "../../../../test/support/builders.ts";
import type { PrebuiltImageStatus } from "../../../api/v1alpha1/prebuilt-image.ts";
import type { ImageFacts } from "../facts.ts";
import { withConditions } from "./conditions.ts";

const now = new Date("2026-05-04T10:00:00.000Z");

function factsOf(bounded: readonly string[]): ImageFacts {
  const found = { fingerprint: "sha256:f", classImage: "sandbox:1", repositories: ["web"], bounded };
  return { image: aPrebuiltImage("web"), scope: { found }, pods: [], secrets: [], isSilent: false };
}

it("says why the pod of a build does not start", () => {
  const facts = factsOf([]);
  const inputs = { fingerprint: "f", classImage: "i", timeoutSeconds: 1 };
  const build = { number: 3, step: "Building" as const, reason: "NewCommits" as const, ...inputs };
  const sandbox = { attempt: 3, podName: "p", podUID: "u", createTime: now.toISOString() };
  const pod = { name: "p", uid: "u", attempt: 3, isStarted: false, isTerminating: false };
  const message = "image i: ErrImagePull: no such host";
  const waiting = { reason: "ImagePullFailed" as const, message, isHopeless: false };
  const saidOf = (pods: ImageFacts["pods"]): object | undefined =>
    withConditions({ ...facts, pods }, { build, sandbox }, now).conditions?.find(({ type }) => type === "Reconciling");
  expect(saidOf([pod])).toMatchObject({ reason: "Building" });
  expect(saidOf([{ ...pod, attempt: 2, waiting }])).toMatchObject({ reason: "Building" });
  expect(saidOf([{ ...pod, waiting }])).toMatchObject({
    reason: "ImagePullFailed",
    message: `${message} (build 3, NewCommits)`,
  });
});

describe("events that were left out", () => {
  const why = { bound: "total", message: "all have used 2 of 2 bytes" } as const;
  const inputs = { fingerprint: "f", classImage: "i", timeoutSeconds: 1 };
  const sandbox = { attempt: 3, podName: "p", podUID: "u", createTime: now.toISOString() };
  const noted = withConditions({ ...factsOf([]), lease: { isReady: false, eventsLeftOut: why } }, {}, now);

  function saidOf(status: PrebuiltImageStatus, lease?: ImageFacts["lease"]): object | undefined {
    const { conditions } = withConditions({ ...factsOf([]), lease }, { ...status, conditions: noted.conditions }, now);
    return conditions?.find(({ type }) => type === "EventsLeftOut");
  }
  const during = (step: "Checking" | "Building" | "Saving"): PrebuiltImageStatus => ({
    build: { number: 3, step, reason: "NewCommits", ...inputs },
    sandbox,
  });

  it("are a warning that names the budget", () => {
    expect(noted.conditions?.find(({ type }) => type === "EventsLeftOut")).toMatchObject({
      status: "True",
      reason: "EventsOverBudget",
      message: why.message,
    });
  });

  it.each([
    { name: "between builds", status: {}, lease: undefined, stays: true },
    { name: "during a check", status: during("Checking"), lease: { isReady: false }, stays: true },
    { name: "before the next build connects", status: during("Building"), lease: undefined, stays: true },
    { name: "during the next build", status: during("Building"), lease: { isReady: false }, stays: false },
    { name: "while that one is saved", status: during("Saving"), lease: { isReady: false }, stays: false },
  ])("are said $name: $stays", ({ status, lease, stays }) => {
    expect(saidOf(status, lease) !== undefined).toBe(stays);
  });
});

it("settings that the class bounds are a warning, for as long as it bounds them", () => {
  const warned = withConditions(factsOf(["one is above"]), {}, now);
  const type = "SettingsBounded";
  expect(warned.conditions?.find((one) => one.type === type)).toMatchObject({
    status: "True",
    reason: "SettingAboveLimit",
    message: "one is above",
  });
  const fixed = withConditions(factsOf([]), warned, now);
  expect(fixed.conditions?.map((one) => one.type)).toEqual(["Ready"]);
});
