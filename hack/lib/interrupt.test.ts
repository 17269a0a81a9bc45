import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

import { expect, it, onTestFinished } from "vitest";

import { killProcesses } from "./processes.ts";

it.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)("%s ends the process with the sentence and the status of shells", async (signal, want) => {
  const module = JSON.stringify(join(import.meta.dirname, "interrupt.ts"));
  const script = `const { sayWhenInterrupted } = await import(${module});
    sayWhenInterrupted("try again");
    console.log("waits");
    setInterval(() => undefined, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", script]);
  onTestFinished(() => killProcesses([child.pid ?? 0]));
  let said = "";
  child.stderr.on("data", (text: Buffer) => (said += text.toString()));
  await once(child.stdout, "data");
  child.kill(signal);
  const [status] = (await once(child, "close")) as [number];
  expect({ status, said }).toEqual({ status: want, said: "\ninterrupted: try again\n" });
});
