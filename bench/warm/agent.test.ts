import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { agentCommand, readAnswer } from "./agent.ts";

it("the agent answers which delivery it got, and when", () => {
  const [program = "", ...args] = agentCommand(0);
  const input = 'Say when this arrived.\n\n{\n  "delivery": "delivery-17",\n  "again": "delivery-17"\n}\n';
  const beforeMs = Date.now();
  const { stdout } = spawnSync(program, args, { input, encoding: "utf8" });
  const { delivery, promptMs = NaN } = readAnswer(stdout) ?? {};
  expect(delivery).toBe(17);
  expect(promptMs).toBeGreaterThanOrEqual(beforeMs - 1);
  expect(promptMs).toBeLessThanOrEqual(Date.now() + 1);
});

it.each(["", "delivery-1", "delivery-1\ndelivery-2 5.5", "the agent failed"])("takes %o for no answer", (summary) => {
  expect(readAnswer(summary)).toBeUndefined();
});
