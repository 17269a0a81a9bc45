import { describe, expect, it } from "vitest";

import { parseOptions } from "./options.ts";

describe("parseOptions", () => {
  it.each([
    { name: "nothing", args: [], want: { keep: false, warm: false, json: false, agent: "sample" } },
    { name: "--keep", args: ["--keep"], want: { keep: true, warm: false, json: false, agent: "sample" } },
    { name: "--warm", args: ["--warm"], want: { keep: false, warm: true, json: false, agent: "sample" } },
    {
      name: "--output json",
      args: ["--output", "json"],
      want: { keep: false, warm: false, json: true, agent: "sample" },
    },
    {
      name: "--context",
      args: ["--context=prod"],
      want: { keep: false, warm: false, json: false, agent: "sample", context: "prod" },
    },
    {
      name: "--agent",
      args: ["--agent", "opencode"],
      want: { keep: false, warm: false, json: false, agent: "opencode" },
    },
    {
      name: "images for a context",
      args: ["--context", "prod", "--operator-image", "r/o:1", "--sandbox-image", "r/s:1"],
      want: {
        keep: false,
        warm: false,
        json: false,
        agent: "sample",
        context: "prod",
        operatorImage: "r/o:1",
        sandboxImage: "r/s:1",
      },
    },
  ])("takes $name", ({ args, want }) => {
    expect(parseOptions(args)).toEqual(want);
  });

  it.each([
    { name: "an unknown option", args: ["--fast"], says: "--fast" },
    { name: "another output", args: ["--output", "yaml"], says: '--output is "yaml"' },
    {
      name: "another agent",
      args: ["--agent", "parrot"],
      says: '--agent is "parrot", but it must be sample or opencode',
    },
    { name: "a word", args: ["please"], says: "please" },
    { name: "one image alone", args: ["--context", "prod", "--operator-image", "r/o:1"], says: "go together" },
    {
      name: "images without a context",
      args: ["--operator-image", "r/o:1", "--sandbox-image", "r/s:1"],
      says: "--context",
    },
  ])("refuses $name", ({ args, says }) => {
    expect(() => parseOptions(args)).toThrow(says);
  });
});
