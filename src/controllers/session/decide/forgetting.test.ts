import { describe, expect, it } from "vitest";

import type { Prompt } from "../../../api/v1alpha1/prompt.ts";
import { aPrompt, aSession, aVerdict } from "../../../../test/support/builders.ts";
import { decided } from "../fake-steps.ts";

const now = new Date("2026-05-04T10:00:00Z");
const limits = { bootTimeoutMs: 1_800_000, executionTimeoutMs: 7_200_000 };
const hour = 3_600_000;

/** A prompt that ended so long ago. */
function ended(index: number, agoMs: number, annotations?: Record<string, string>): Prompt {
  const at = new Date(now.getTime() - agoMs);
  return aPrompt({
    metadata: {
      name: `p${index}`,
      namespace: "team",
      uid: `u${index}`,
      resourceVersion: String(1_000 - index),
      annotations,
    },
    status: { completionTime: at.toISOString(), conditions: [aVerdict(true, "Completed", at)] },
  });
}

/** So many, of which the first ended last. */
const endedOnes = (count: number): Prompt[] => Array.from({ length: count }, (_, index) => ended(index, index * 1_000));

function forgotten(prompts: Prompt[]): (string | undefined)[] {
  const metadata = { namespace: "team", uid: "s1", generation: 1, resourceVersion: "1" };
  const session = aSession({ metadata, status: { promptsEnded: 1 } });
  const facts = { session, prompts, pods: [], secrets: [], children: [], isSilent: false };
  return decided(facts, now, limits).effects.flatMap((effect) =>
    effect.kind === "deletePrompt" ? [effect.prompt.metadata.name] : [],
  );
}

it.each([
  { count: 199, want: [] },
  { count: 200, want: [] },
  { count: 201, want: ["p200"] },
  { count: 203, want: ["p202", "p201", "p200"] },
])("of $count ended prompts deletes $want", ({ count, want }) => {
  expect(forgotten(endedOnes(count))).toEqual(want);
});

it("deletes 50 at once at most", () => {
  expect(forgotten(endedOnes(300))).toHaveLength(50);
});

describe("beyond 200 ended prompts", () => {
  const requested = { "runwright.dev/requested-by": "ada" };

  it.each([
    { name: "of the REST API that ended a millisecond less than 24 h ago stays", agoMs: 24 * hour - 1, isKept: true },
    { name: "of the REST API that ended 24 h ago goes", agoMs: 24 * hour, isKept: false },
    { name: "of the REST API that ended before goes", agoMs: 24 * hour + 1, isKept: false },
  ])("one $name", ({ agoMs, isKept }) => {
    expect(forgotten([...endedOnes(200), ended(200, agoMs, requested)])).toEqual(isKept ? [] : ["p200"]);
  });

  it("the first prompt of a Run stays", () => {
    const first = ended(200, hour);
    expect(forgotten([...endedOnes(200), { ...first, metadata: { ...first.metadata, name: "fix-1" } }])).toEqual([]);
  });
});
