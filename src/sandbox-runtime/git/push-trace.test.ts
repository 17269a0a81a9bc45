import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PushTrace } from "./push-trace.ts";

const start = (...argv: string[]): string => JSON.stringify({ event: "start", sid: "a", argv });
const repo = (worktree = "/w/shop"): string => JSON.stringify({ event: "def_repo", repo: 1, worktree });
const named = (name: string): string => JSON.stringify({ event: "cmd_name", name, hierarchy: name });
const exit = (code: unknown): string => JSON.stringify({ event: "exit", t_abs: 0.1, code });

function read(...lines: string[]): unknown[] {
  const trace = new PushTrace();
  return lines.map((line) => trace.take(line)).filter((one) => one !== undefined);
}

describe("the trace of a git process", () => {
  it.each([
    { code: 0, succeeded: true },
    { code: 1, succeeded: false },
    { code: 128, succeeded: false },
    { code: "0", succeeded: false },
  ])("of a push that ends with $code succeeded: $succeeded", ({ code, succeeded }) => {
    const lines = [start("git", "push", "origin", "HEAD:main"), repo(), named("push"), exit(code)];
    expect(read(...lines)).toEqual([{ worktree: "/w/shop", args: ["origin", "HEAD:main"], succeeded }]);
  });

  it.each([
    { argv: ["git", "-C", "x", "push"], args: [] },
    { argv: ["git", "p", "origin"], args: [] },
    {
      argv: ["git", "push", "-q", "-u", "--no-verify", "--receive-pack=x", "--exec=x", "origin", "+a"],
      args: ["origin", "+a"],
    },
    {
      argv: ["git", "push", "--force-with-lease=a", "--force", "-f", "-d", "--forced", "o"],
      args: ["--force-with-lease=a", "--force", "-f", "-d", "o"],
    },
    { argv: ["git", "push", "-o", "ci.skip", "origin", "a"], args: ["origin", "a"] },
    { argv: ["git", "push", "-oci.fd", "--push-option", "x", "--push-option=y", "origin"], args: ["origin"] },
    { argv: ["git", "push", "--repo", "x", "--receive-pack", "y", "--exec", "z", "a"], args: ["a"] },
    { argv: ["git", "push", "-uf", "-qfd", "-vu", "-fo", "ci.skip", "a"], args: ["-f", "-fd", "-f", "a"] },
    { argv: ["git", "push", "-o"], args: [] },
  ])("keeps of $argv what decides: $args", ({ argv, args }) => {
    expect(read(start(...argv), repo(), named("push"), exit(1))).toMatchObject([{ args }]);
  });

  it("is of another command as soon as that is known", () => {
    expect(read(start("git", "fetch"), repo(), named("fetch"))).toEqual(["other"]);
  });

  it.each([
    { name: "without a working tree", lines: [start("git", "push"), named("push"), exit(1)] },
    { name: "without a name", lines: [start("git", "push"), repo(), exit(1)] },
  ])("$name is of no push", ({ lines }) => {
    expect(read(...lines)).toEqual(["other"]);
  });

  it("takes the first working tree, and no other for it", () => {
    const lines = [start("git", "push"), repo("/w/a"), repo("/w/b"), named("push"), exit(1)];
    expect(read(...lines)).toMatchObject([{ worktree: "/w/a" }]);
  });

  it("may be anything", () => {
    const words = fc.constantFrom(start("git", "push"), repo(), named("push"), exit(1), "{", '{"event":7}', "null");
    fc.assert(
      fc.property(fc.array(fc.oneof(words, fc.string(), fc.json())), (lines) => {
        expect(() => read(...lines)).not.toThrow();
      }),
    );
  });
});
