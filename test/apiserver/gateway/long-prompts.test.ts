import { afterAll, beforeAll, expect, it } from "vitest";

import { RuntimeMessage } from "../../../src/api/runtime/messages.ts";
import { type GatewayWorld, openGatewayWorld } from "../../support/runtime-gateway.ts";
import { RuntimePeer } from "../../support/runtime-peer.ts";
import { makeSandbox, type SandboxFixture } from "../../support/runtime-world.ts";

let opened: GatewayWorld;

beforeAll(async () => {
  opened = await openGatewayWorld();
});
afterAll(() => opened.close());

/** A runtime of the session that takes so many UTF-16 units of a prompt; one of an earlier version says nothing of it. */
async function connect(sandbox: SandboxFixture, promptCharacters?: number): Promise<RuntimePeer> {
  const peer = await RuntimePeer.connect(opened.world, opened.gateway, sandbox);
  peer.send({ type: "hello", protocol: 1, needsBundle: false, openPrompts: [], promptCharacters });
  await peer.next("welcome");
  return peer;
}

it.each([
  { takes: 100, text: "𝄞".repeat(50) },
  // The longest that a person can write.
  { takes: undefined, text: "𝄞".repeat(64_000) },
])("a runtime that takes $takes gets a prompt of so many characters", async ({ takes, text }) => {
  const sandbox = await makeSandbox(opened.world);
  const peer = await connect(sandbox, takes);
  const prompt = await sandbox.prompt(text);
  const sent = await peer.next("prompt");
  expect([sent.prompt, sent.text === text]).toEqual([prompt, true]);
  peer.close();
});

it("what a runtime cannot take fails at once and says why, and the next prompt is sent", async () => {
  const sandbox = await makeSandbox(opened.world);
  const peer = await connect(sandbox, 100);
  const long = await sandbox.prompt(`${"𝄞".repeat(50)}x`);
  expect(await sandbox.settled(long.name)).toMatchObject({
    conditions: [
      {
        type: "Succeeded",
        status: "False",
        reason: "PromptTooLong",
        message:
          "The prompt has 101 characters (UTF-16 units), and this sandbox's runtime takes 100: its image is of an earlier version",
      },
      { type: "Stalled", status: "True", reason: "PromptTooLong" },
    ],
  });
  const next = await sandbox.prompt("short");
  expect((await peer.next("prompt")).prompt).toEqual(next);
  expect(peer.heard.map(({ type }) => type)).toEqual(["welcome", "prompt"]);
  peer.close();
});

it("a runtime that does not say takes what runtimes took before", () => {
  const hello = { type: "hello", protocol: 1, needsBundle: false, openPrompts: [] };
  expect(RuntimeMessage.parse(hello)).toMatchObject({ promptCharacters: 128_000 });
});
