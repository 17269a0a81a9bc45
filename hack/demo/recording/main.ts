import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";

import { framesOf } from "./frames.ts";
import { terminal } from "./svg.ts";

// npm run --silent demo | tee /dev/stderr | node hack/run.mjs hack/demo/recording/main.ts
// writes docs/start/demo.svg from what the demo prints.

const output = join(import.meta.dirname, "..", "..", "..", "docs", "start", "demo.svg");
const frames = framesOf(await text(process.stdin));
const end = frames.findIndex((frame) => frame.text.includes("== Done in"));
if (end < 0) {
  console.error("this is not the output of a demo that went through: nothing is written");
  process.exit(1);
}
await writeFile(output, terminal(frames.slice(0, end + 1), "npm run demo: from a webhook to a pushed branch"));
