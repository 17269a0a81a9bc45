import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect, it } from "vitest";

import { lengthPrefixed } from "./agent-protocol.ts";
import { KeyAgents, keyAgentSocket } from "./key-agent.ts";

let directory: string;
let agents: KeyAgents;
let refused: number;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "runwright-agent-"));
  refused = 0;
  agents = new KeyAgents(directory, () => (refused += 1));
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const pem = privateKey.export({ type: "sec1", format: "pem" }).toString();
  await agents.open([{ sshKey: { privateKey: pem, knownHosts: "" } }]);
});
afterEach(async () => {
  agents.close();
  await rm(directory, { recursive: true, force: true });
});

/** The type of the answer; undefined where the connection ends without one. */
async function ask(bytes: Buffer): Promise<number | undefined> {
  const socket = connect(keyAgentSocket(directory, 0));
  socket.on("error", () => undefined);
  socket.write(bytes);
  const [answer] = (await Promise.race([once(socket, "data"), once(socket, "close")])) as [unknown];
  socket.destroy();
  return Buffer.isBuffer(answer) ? answer[4] : undefined;
}

it.each([
  { name: "nothing: the key's name", message: Buffer.of(11), answer: 12, want: 0 },
  { name: "nothing: an extension, which ssh tries before a login", message: Buffer.of(27, 1, 2), answer: 5, want: 0 },
  { name: "a signature of something that is no login", message: Buffer.from([13, 0, 0, 0, 0]), answer: 5, want: 1 },
  { name: "another key to add", message: Buffer.of(17), answer: 5, want: 1 },
  { name: "keys to remove", message: Buffer.of(19), answer: 5, want: 1 },
])("counts $name", async ({ message, answer, want }) => {
  expect(await ask(lengthPrefixed(message))).toBe(answer);
  expect(refused).toBe(want);
});

it("counts a message that is too long", async () => {
  expect(await ask(Buffer.from([0, 1, 0, 1]))).toBeUndefined();
  expect(refused).toBe(1);
});
