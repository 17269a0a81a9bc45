import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect, it } from "vitest";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "turn-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const turn = JSON.stringify(new URL("turn.ts", import.meta.url).href);

/** A process of its own that takes the turn, says so and ends when its standard input does. */
function taker(environment: Record<string, string> = {}): { child: ReturnType<typeof spawn>; said: () => string } {
  const script = `
    import { once } from "node:events";
    import { inTurn } from ${turn};
    await inTurn((message) => console.log(message), async () => {
      console.log("has it");
      process.stdin.resume();
      await once(process.stdin, "end");
    });
    console.log("gave it back");
  `;
  const child = spawn(process.execPath, ["--input-type=module-typescript", "--eval", script], {
    env: { PATH: process.env.PATH, TMPDIR: folder, ...environment },
    stdio: ["pipe", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.on("data", (text: Buffer) => (output += text.toString()));
  return { child, said: () => output };
}

async function says(one: ReturnType<typeof taker>, what: string): Promise<void> {
  await expect.poll(one.said, { interval: 20 }).toContain(what);
}

it("one after the other, and the second says for whom it waits", async () => {
  const first = taker();
  await says(first, "has it");
  const second = taker();
  await says(second, `waiting for process ${first.child.pid}`);
  expect(second.said()).not.toContain("has it");
  first.child.stdin!.end();
  await says(first, "gave it back");
  await says(second, "has it");
  second.child.stdin!.end();
  await once(second.child, "exit");
});

it("passes from a holder that was killed to the next", async () => {
  const first = taker();
  await says(first, "has it");
  first.child.kill("SIGKILL");
  await once(first.child, "exit");
  const second = taker();
  await says(second, "has it");
  second.child.stdin!.end();
  await once(second.child, "exit");
});

it("is shared by what its holder starts", async () => {
  const first = taker();
  await says(first, "has it");
  const inner = taker({ RUNWRIGHT_TEST_TURN: String(first.child.pid) });
  await says(inner, "has it");
  for (const { child } of [inner, first]) {
    child.stdin!.end();
    await once(child, "exit");
  }
});
