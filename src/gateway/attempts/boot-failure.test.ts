import { expect, it } from "vitest";
import { BootFailure } from "../../api/runtime/bundle.ts";
import { storableFailure } from "./boot-failure.ts";

it.each([
  { phase: "clone", want: "CloneFailed" },
  { phase: "setup", want: "HookFailed" },
  { phase: "start", want: "HookFailed" },
  { phase: "agent", want: "AgentNotStarted" },
] as const)("gives a failure in phase $phase the reason $want, whatever a sandbox calls it", ({ phase, want }) => {
  const failure = { phase, reason: "not a reason!", message: `\u001b[31mno\u0000\n${"𝄞".repeat(512)}` };
  const stored = storableFailure(failure);
  expect(stored).toEqual({ phase, reason: want, message: `no\n${"𝄞".repeat(509)}` });
  expect(BootFailure.safeParse(stored).success).toBe(true);
});

it("keeps of a build that its time has passed, and the commits that it was to build", () => {
  const commits = [{ repository: "shop", commit: "a".repeat(40) }];
  const failure: BootFailure = { phase: "setup", reason: "BuildTimeout", message: "late", commits };
  expect(storableFailure(failure)).toEqual(failure);
});
