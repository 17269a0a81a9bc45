import { describe, expect, it } from "vitest";

import { protocolLimits } from "../../api/runtime/limits.ts";
import { mostPushes } from "../../api/v1alpha1/outcome.ts";
import { mediaLimits } from "../../api/v1alpha1/prompt-media.ts";
import { priceOf, structurePerFrame } from "./frame-price.ts";

const text = (characters: number): string => "x".repeat(characters);
const { runtimeFrameBytes } = protocolLimits;

it.each([
  { characters: structurePerFrame - 1, price: 1 },
  { characters: structurePerFrame, price: 1 },
  { characters: structurePerFrame + 1, price: (structurePerFrame + 1) / structurePerFrame },
  { characters: runtimeFrameBytes, price: 64 },
])("counts $characters characters outside of texts as $price frames", ({ characters, price }) => {
  expect(priceOf(" ".repeat(characters))).toBe(price);
  // The text itself counts nothing, its quotes do.
  for (const inText of ["", text(9_999), String.raw`\"`.repeat(9_999), String.raw`\\`.repeat(9_999), "[,]{}:"]) {
    expect(priceOf(`"${inText}"${" ".repeat(characters - 2)}`)).toBe(price);
    expect(priceOf(`${" ".repeat(characters - 2)}"${inText}"`)).toBe(price);
  }
});

it("takes a text that does not end as one", () => {
  for (const end of ["", "\\", '\\"']) expect(priceOf(`"${text(2_000)}${end}`)).toBe(1);
});

it.each([
  { of: "fields that nobody knows", one: '"a":0,' },
  { of: "empty fields", one: '"":[],' },
  { of: "elements", one: "0," },
  { of: "lists in lists", one: "[" },
  { of: "texts without content", one: '"",' },
])("counts 64 KiB of $of as 40 frames and more", ({ one }) => {
  expect(priceOf(one.repeat(runtimeFrameBytes / one.length))).toBeGreaterThan(40);
});

describe("a message of ours", () => {
  const uid = text(36);
  const prompt = { name: text(60), uid };
  const event = { kind: "output", source: "agent", repository: text(63), promptUid: uid, stream: "stdout" };
  const seq = Number.MAX_SAFE_INTEGER;
  const commits = Array.from({ length: 10 }, () => ({ repository: text(63), branch: text(60), commit: text(40) }));
  const outcome = {
    prompt,
    verdict: "succeeded",
    message: text(2_000),
    summary: text(8_000),
    branch: text(100),
    commit: text(40),
    pushes: Array.from({ length: mostPushes }, () => ({ repository: text(63), branch: text(100), commit: text(40) })),
    pullRequest: { title: text(200), body: text(8_000) },
    media: {
      files: Array.from({ length: mediaLimits.perPrompt }, () => ({
        fileName: text(100),
        digest: text(71),
        mediaType: "image/png",
        size: 10_485_760,
      })),
      leftOut: 5,
    },
    usage: { inputTokens: seq, outputTokens: seq, costUsd: 0.123456789, sandboxCostUsd: 0.123456789 },
  };
  it.each([
    { name: "output", message: { type: "event", seq, event: { ...event, text: '{"\u001b[0m😀,'.repeat(1_000) } } },
    { name: "commits", message: { type: "event", seq, event: { kind: "bootProgress", phase: "clone", commits } } },
    { name: "an outcome with all there is", message: { type: "promptFinished", seq, outcome } },
    { name: "repositories that stayed", message: { type: "ready", seq, notUpdated: Array(10).fill(text(63)) } },
  ])("counts as one frame: $name", ({ message }) => {
    expect(priceOf(JSON.stringify(message))).toBe(1);
  });

  it("counts as two at most: a hello with 64 open prompts", () => {
    const openPrompts = Array<object>(64).fill(prompt);
    const counts = { connection: seq, runningMs: seq, promptCharacters: seq };
    const hello = { type: "hello", protocol: 1, needsBundle: false, isReady: true, openPrompts, ...counts };
    expect(priceOf(JSON.stringify(hello))).toBeLessThanOrEqual(2);
  });
});
