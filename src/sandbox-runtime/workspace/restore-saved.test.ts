import { expect, it } from "vitest";
import type { SandboxEvent } from "../../api/runtime/messages.ts";
import type { Bundle } from "../../api/runtime/bundle.ts";
import { FakeClock } from "../../lib/fake-clock.ts";
import { restoreSaved } from "./restore-saved.ts";
import type { RestoreOutcome } from "./workspace-streams.ts";

const bundle = { restores: 1 } as unknown as Bundle;

/** Runs until it is decided; the clock goes on whenever it is waited for. */
async function restoredFrom(
  outcomes: RestoreOutcome[],
): Promise<{ mode: string; warnings: string[]; asked: boolean[] }> {
  const clock = new FakeClock();
  const warnings: string[] = [];
  const asked: boolean[] = [];
  const publish = (event: SandboxEvent): void => {
    if (event.kind === "warning") warnings.push(event.message);
  };
  const decided = restoreSaved({ bundle, clock, publish }, (isRefused) => {
    asked.push(isRefused);
    setImmediate(() => clock.advance(2_000));
    return Promise.resolve(outcomes.shift()!);
  });
  return { mode: await decided, warnings, asked };
}

it("says why a workspace cannot be restored, each cause once, and tries again", async () => {
  const { mode, warnings } = await restoredFrom([
    { failed: "tar: no" },
    { failed: "tar: no" },
    { failed: "it broke off" },
    "restored",
  ]);
  expect(mode).toBe("snapshot_restore");
  expect(warnings).toEqual([expect.stringMatching(/again: tar: no$/), expect.stringMatching(/again: it broke off$/)]);
});

it("begins afresh where the workspace is lost, and says so", async () => {
  const { mode, warnings } = await restoredFrom(["missing"]);
  expect(mode).toBe("fresh");
  expect(warnings).toEqual([expect.stringContaining("begins afresh")]);
});

it("begins afresh where no save could have written the workspace, and has the gateway know it", async () => {
  const refused = { refused: "it has a device" };
  const { mode, warnings, asked } = await restoredFrom([refused, refused, { failed: "it broke off" }, "missing"]);
  expect(mode).toBe("fresh");
  expect(asked).toEqual([false, true, true, true]);
  expect(warnings).toEqual([
    "the saved workspace is refused: it has a device",
    expect.stringContaining("broke off"),
    "the saved workspace is refused; the session begins afresh",
  ]);
});
