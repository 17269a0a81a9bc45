import { describe, expect, it } from "vitest";

import type { KubeClient } from "../../../kube/client.ts";
import type { Event } from "../../../kube/core-resources.ts";
import { isAskedAbout, isSilent, waitingByEvents, waitingOf } from "./pod-events.ts";

const mount = 'MountVolume.SetUp failed for volume "late" : configmap "late" not found';

function anEvent(reason: string, note: string, time: Partial<Event> = {}): Event {
  return { metadata: { name: "e", creationTimestamp: "2026-05-04T10:00:00Z" }, reason, note, ...time } as Event;
}

describe("of a pod's Events", () => {
  it.each([
    ["FailedMount", mount],
    ["FailedAttachVolume", "Multi-Attach error"],
    ["FailedMapVolume", "no such device"],
    ["FailedCreatePodSandBox", 'no runtime for "gvisor" is configured'],
    ["FailedPodSandBoxStatus", "unable to determine status"],
    ["NetworkNotReady", "network is not ready: container runtime network not ready"],
  ])("%s is what it waits for", (reason, note) => {
    const { message, ...waiting } = waitingOf([anEvent(reason, `${note}\n`)])!;
    expect(waiting).toEqual({ reason: "ContainerNotStarted", isHopeless: false });
    expect(message).toContain(`${reason}: ${note}. `);
  });

  it.each(["BackOff", "Unhealthy", "FailedScheduling", "Evicted", ""])("%s says nothing of it", (reason) => {
    expect(waitingOf([anEvent(reason, "words")])).toBeUndefined();
  });

  it("the latest counts, however its time is written", () => {
    const at = (minute: string): string => `2026-05-04T10:${minute}:00Z`;
    const all = [
      anEvent("FailedMount", "first"),
      anEvent("FailedMount", "last", { series: { count: 3, lastObservedTime: at("04") } }),
      anEvent("FailedMount", "second", { deprecatedLastTimestamp: at("03") }),
      anEvent("FailedMount", "third", { eventTime: at("02") }),
    ];
    expect(waitingOf(all)?.message).toContain("FailedMount: last. ");
    expect(waitingOf(all.slice(2))?.message).toContain("FailedMount: second. ");
  });

  it.each([511, 512, 513])("a message of %i characters fits a condition", (length) => {
    const { message = "" } = waitingOf([anEvent("FailedMount", "x".repeat(length - 13))]) ?? {};
    expect(message.split(". ")[0]).toHaveLength(Math.min(length, 512));
  });
});

it("asks for the warnings of the pod alone, and goes on where it may not", async () => {
  const asked: unknown[] = [];
  const client = {
    list: (_resource: unknown, options: unknown) => {
      asked.push(options);
      return Promise.resolve({ items: [anEvent("FailedMount", mount)] });
    },
  } as unknown as KubeClient;
  const pod = { metadata: { name: "p", namespace: "shop", uid: "u1" } };
  expect((await waitingByEvents(client, pod))?.message).toContain(`FailedMount: ${mount}. Create what`);
  expect(asked).toEqual([{ namespace: "shop", fieldSelector: "regarding.uid=u1,type=Warning" }]);
  const refusing = { list: () => Promise.reject(new Error("forbidden")) } as unknown as KubeClient;
  expect(await waitingByEvents(refusing, pod)).toBeUndefined();
});

it.each([
  { ageMs: 19_999, want: false },
  { ageMs: 20_000, want: true },
])("a pod of $ageMs ms is asked about: $want", ({ ageMs, want }) => {
  const created = "2026-05-04T10:00:00.000Z";
  expect(isAskedAbout(created, new Date(Date.parse(created) + ageMs))).toBe(want);
  expect(isAskedAbout(undefined, new Date(created))).toBe(false);
});

it.each([
  { name: "that says nothing", state: {}, want: true },
  { name: "that has started", state: { isStarted: true }, want: false },
  { name: "that is being deleted", state: { isTerminating: true }, want: false },
  {
    name: "that says why it waits",
    state: { waiting: { reason: "Unschedulable", message: "", isHopeless: false } },
    want: false,
  },
  { name: "that has ended", state: { ended: { reason: "SandboxLost", message: "" } }, want: false },
] as const)("only Events may speak for a pod $name: $want", ({ state, want }) => {
  expect(isSilent({ isStarted: false, isTerminating: false, ...state })).toBe(want);
});
