import { expect, it } from "vitest";
import { BootFailure, PassedOver } from "../../api/runtime/bundle.ts";
import { storableFailure, storableGoneWithout } from "./boot-failure.ts";

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

it.each([511, 512, 513])("keeps of a hook that was passed over what can be shown: %i characters", (length) => {
  const message = `\u001b[31m${"𝄞".repeat(length)}\u001b[0m`;
  const { notUpdated, passedOver } = storableGoneWithout({
    type: "ready",
    seq: 1,
    notUpdated: ["a"],
    passedOver: [{ hook: "setup", message }],
  });
  expect(notUpdated).toEqual(["a"]);
  expect(passedOver).toEqual([{ hook: "setup", message: "𝄞".repeat(Math.min(length, 512)) }]);
  expect(PassedOver.safeParse(passedOver).success).toBe(true);
});

it("says of a boot that passed over nothing that it did not", () => {
  expect(storableGoneWithout({ type: "ready", seq: 1 })).toEqual({});
});
