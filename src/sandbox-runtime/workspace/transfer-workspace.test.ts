import { once } from "node:events";
import { PassThrough } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import { text } from "node:stream/consumers";

import { expect, it } from "vitest";

import { systemRandom } from "../../lib/random.ts";
import type { AgentChannel } from "../local/agent-channel.ts";
import { restoreWorkspace, saveWorkspace } from "./transfer-workspace.ts";

type Agent = Pick<AgentChannel, "introduction" | "run">;

/** An agent's container whose command ends when the test says so, and what it was sent. */
function anAgent(said = "tar: Cannot\n") {
  const ended = Promise.withResolvers<{ code: number }>();
  const socket = new PassThrough();
  // Only what a transfer uses.
  const agent = {
    introduction: { program: ["archive"], workspace: "/workspace" },
    run: (_command: unknown, output: (stream: "stderr", text: string) => void) => {
      output("stderr", said);
      return { ended: ended.promise };
    },
  } as unknown as Agent;
  return {
    deps: { agent, transfer: () => Promise.resolve(socket), random: systemRandom },
    socket,
    end: (code: number) => ended.resolve({ code }),
  };
}

it("fails when the command ends although more is to come", async () => {
  const { deps, end } = anAgent();
  const stream = new PassThrough();
  stream.write("x".repeat(1_000));
  const restored = restoreWorkspace(deps, stream);
  end(1);
  await expect(restored).rejects.toThrow("could not do it");
});

it("fails when the command fails after it had all", async () => {
  const { deps, socket, end } = anAgent();
  socket.resume();
  const stream = new PassThrough();
  const restored = restoreWorkspace(deps, stream);
  stream.end("x".repeat(1_000) + "runwright:whole\n");
  socket.once("end", () => end(2));
  await expect(restored).rejects.toThrow(/could not do it: tar: Cannot$/);
});

it("says of an archive that was refused why", async () => {
  const { deps, socket, end } = anAgent("it has a device\n");
  socket.resume();
  const stream = new PassThrough();
  const restored = restoreWorkspace(deps, stream);
  stream.write("x".repeat(1_000));
  end(3);
  await expect(restored).rejects.toMatchObject({ name: "ArchiveRefusedError", message: "it has a device" });
});

it.each([
  { name: "an archive that is refused", said: "it has a device\n", code: 3, want: /^it has a device$/ },
  {
    name: "a full disk",
    said: "tar: ./a: Cannot write: No space left on device\n",
    code: 1,
    want: /could not do it: tar: \.\/a: Cannot write: No space left on device$/,
  },
])("says why of $name where the connection breaks before the command has ended", async ({ said, code, want }) => {
  const { deps, socket, end } = anAgent(said);
  const stream = new PassThrough();
  const restored = restoreWorkspace(deps, stream);
  stream.write("x".repeat(1_000));
  await once(socket, "data");
  socket.destroy(new Error("reset"));
  stream.end("x".repeat(1_000));
  await turn();
  await turn();
  end(code);
  await expect(restored).rejects.toThrow(want);
});

it("fails when what comes breaks off", async () => {
  const { deps, socket, end } = anAgent();
  socket.resume();
  socket.once("close", () => end(1));
  const stream = new PassThrough();
  const restored = restoreWorkspace(deps, stream);
  stream.end("x".repeat(1_000));
  await expect(restored).rejects.toThrow("before all was sent");
});

it.each([
  { name: "with all of it", sent: `${"x".repeat(1_000)}runwright:whole\n`, want: true },
  { name: "with nothing, whole", sent: "runwright:whole\n", want: false },
])("is done $name", async ({ sent, want }) => {
  const { deps, socket, end } = anAgent();
  socket.resume();
  const stream = new PassThrough();
  const restored = restoreWorkspace(deps, stream);
  stream.end(sent);
  socket.once("end", () => end(0));
  expect(await restored).toBe(want);
});

it.each([
  { name: "all of it and says what tar said", code: 0, want: "tar: Cannot" },
  { name: "no marker where tar failed", code: 2, want: undefined },
])("sends $name", async ({ code, want }) => {
  const { deps, socket, end } = anAgent();
  const stream = new PassThrough();
  const saved = saveWorkspace(deps, stream).catch(() => undefined);
  const sent = text(stream).catch(() => "");
  setImmediate(() => socket.end(() => end(code)));
  expect(await saved).toBe(want);
  expect((await sent).endsWith("runwright:whole\n")).toBe(want !== undefined);
});

it("keeps the end of what tar says, however many files it names", async () => {
  const { deps, socket, end } = anAgent(`${"tar: ./x: Cannot open\n".repeat(500_000)}tar: the last`);
  const stream = new PassThrough();
  const saved = saveWorkspace(deps, stream);
  stream.resume();
  setImmediate(() => socket.end(() => end(0)));
  const said = await saved;
  expect([said.length <= 1_000, said.endsWith("tar: the last")]).toEqual([true, true]);
});
