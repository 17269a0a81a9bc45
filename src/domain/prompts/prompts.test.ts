import { describe, expect, it } from "vitest";

import { Prompt, type Session, type SessionStatus } from "../../api/v1alpha1/index.ts";
import { aSession } from "../../../test/support/builders.ts";
import { cancelOrder } from "./cancel-order.ts";
import { isSettled, promptStateOf } from "./prompt-state.ts";
import { randomName, randomNameBytes } from "../object-names.ts";
import { makePrompt } from "./make-prompt.ts";

function anUpgrade(status?: SessionStatus): Session {
  return aSession({ metadata: { name: "upgrade", namespace: "shop", uid: "s1" }, status });
}

const bytes = new Uint8Array(randomNameBytes);
const made = makePrompt(anUpgrade(), { name: randomName("upgrade", bytes), text: "Go on." });

function withVerdict(status: "True" | "False" | "Unknown"): Prompt {
  const verdict = { type: "Succeeded", status, reason: "Any", message: "", lastTransitionTime: "2026-05-04T10:00:00Z" };
  return { ...made, metadata: { ...made.metadata, uid: "p1" }, status: { conditions: [verdict] } };
}

describe("a prompt that is made", () => {
  it("goes with its session and is valid", () => {
    expect(made.metadata).toEqual({
      name: "upgrade-aaaaaaaaaa",
      namespace: "shop",
      labels: { "runwright.dev/session-uid": "s1" },
      ownerReferences: [
        { apiVersion: "runwright.dev/v1alpha1", kind: "Session", name: "upgrade", uid: "s1", controller: true },
      ],
    });
    expect(Prompt.schema.safeParse(made).success).toBe(true);
  });

  it("has a name of at most 63 characters that ends no part with a dash", () => {
    expect(randomName(`${"a".repeat(29)}-${"b".repeat(33)}`, bytes)).toBe(`${"a".repeat(29)}-aaaaaaaaaa`);
  });
});

const currentPrompt = { name: "p", uid: "p1", startTime: "2026-05-04T10:00:00Z", deadline: "2026-05-04T12:00:00Z" };

it.each<{ name: string; prompt: Prompt; status?: SessionStatus; want: string }>([
  { name: "that has no verdict yet", prompt: withVerdict("Unknown"), want: "created" },
  { name: "in the queue", prompt: withVerdict("Unknown"), status: { queue: ["p0", "p1"] }, want: "waiting" },
  { name: "at work", prompt: withVerdict("Unknown"), status: { queue: ["p1"], currentPrompt }, want: "processing" },
  { name: "with a verdict", prompt: withVerdict("False"), status: { queue: ["p1"], currentPrompt }, want: "ended" },
  { name: "of another's queue", prompt: withVerdict("Unknown"), status: { queue: ["p0"] }, want: "created" },
])("a prompt $name is $want", ({ prompt, status, want }) => {
  expect(promptStateOf(prompt, anUpgrade(status))).toBe(want);
});

it.each([
  { status: "Unknown" as const, want: false },
  { status: "True" as const, want: true },
  { status: "False" as const, want: true },
])("a verdict of $status is settled: $want", ({ status, want }) => {
  expect(isSettled(withVerdict(status))).toBe(want);
});

it("cancels what the controller has not seen first, then the queue from its end, and nothing that has ended", () => {
  const prompt = (uid: string, status: "Unknown" | "True" = "Unknown"): Prompt => ({
    ...withVerdict(status),
    metadata: { ...made.metadata, uid },
  });
  const prompts = [prompt("p1"), prompt("p3"), prompt("ended", "True"), prompt("new"), prompt("p2")];
  const order = cancelOrder(prompts, anUpgrade({ queue: ["p1", "p2", "p3"] }));
  expect(order.map(({ metadata }) => metadata.uid)).toEqual(["new", "p3", "p2", "p1"]);
});
