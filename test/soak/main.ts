import { loadavg } from "node:os";
import { parseArgs } from "node:util";

import { wholeNumber } from "../../bench/whole-number.ts";
import { progressOnStderr } from "../../hack/lib/progress.ts";
import { startEquippedControlPlane } from "../support/control-plane.setup.ts";
import { soak } from "./soak.ts";

// npm run soak -- [--minutes N] [--seed N] [--lanes N] [--output json]
const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "60" },
    seed: { type: "string", default: String(1 + Math.floor(Math.random() * 999_999_998)) },
    lanes: { type: "string", default: "4" },
    output: { type: "string", default: "text" },
  },
});
const minutes = wholeNumber("--minutes", values.minutes, 100_000);
const seed = wholeNumber("--seed", values.seed, 999_999_999);
const lanes = wholeNumber("--lanes", values.lanes, 64);
if (values.output !== "json" && values.output !== "text")
  throw new Error(`--output is ${JSON.stringify(values.output)}, but it must be json or text`);
const progress = progressOnStderr("soak");
progress(`${minutes} min, seed ${seed}, ${lanes} senders at once`);
const plane = await startEquippedControlPlane({ progress });
try {
  await plane.startControllerManager();
  const passed = (accepted: number): void => progress(`${accepted} events were accepted`);
  const outcome = await soak({ plane, seed, seconds: minutes * 60, lanes, passed });
  const document = { minutes, seed, lanes, load: loadavg()[0], ...outcome };
  process.stdout.write(`${JSON.stringify(document, undefined, values.output === "json" ? undefined : 2)}\n`);
  if (outcome.violations.length > 0) process.exitCode = 1;
} finally {
  await plane.stop();
}
