import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { FakeClock } from "../../lib/fake-clock.ts";
import type { Asker } from "./git-state.ts";
import { PushWatch, pushWatchSocket } from "./push-watch.ts";
import { whyRefused } from "./refused-push.ts";

let root: string;
let checkout: string;
let other: string;
let watch: PushWatch;
let env: NodeJS.ProcessEnv;

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "runwright-push-"));
  [checkout, other] = [join(root, "checkout"), join(root, "other")];
  env = { ...process.env, HOME: root, GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: join(root, ".gitconfig") };
  writeFileSync(
    join(root, ".gitconfig"),
    `[user]\n\tname = a\n\temail = a@example.com\n[trace2]\n\teventTarget = "af_unix:stream:${pushWatchSocket(root)}"\n`,
  );
  watch = new PushWatch(root);
  await watch.open();
  await git(root, "init", "--quiet", "--bare", "--initial-branch=main", "server.git");
  await git(root, "clone", "--quiet", "server.git", "checkout");
  await commit(checkout);
  await git(checkout, "push", "--quiet", "origin", "HEAD:main");
  await git(root, "clone", "--quiet", "server.git", "other");
  await ended(1);
});
afterEach(() => {
  watch.close();
  rmSync(root, { recursive: true, force: true });
});

/** Returns the exit status; the watch hears meanwhile. */
function git(where: string, ...args: string[]): Promise<number | null> {
  const child = spawn("git", args, { cwd: where, env, stdio: "ignore" });
  return new Promise((resolve) => child.once("close", resolve));
}

const commit = (where: string): Promise<unknown> =>
  git(where, "commit", "--quiet", "--allow-empty", `--message=${where}`);

/** The pushes that were heard, once there are so many. */
async function ended(count: number): Promise<ReturnType<PushWatch["take"]>> {
  const all: ReturnType<PushWatch["take"]> = [];
  await expect.poll(() => all.push(...watch.take())).toBeGreaterThanOrEqual(count);
  return all;
}

const agent = {
  run(
    { command: [program = "", ...args], cwd, env: more }: { command: string[]; cwd: string; env: object },
    output: (stream: string, text: string) => void,
  ) {
    const child = spawn(program, args, { cwd, env: { ...env, ...more } });
    child.stdout.on("data", (text: Buffer) => output("stdout", text.toString()));
    child.stderr.on("data", (text: Buffer) => output("stderr", text.toString()));
    return {
      ended: new Promise((resolve) => child.once("close", (code) => resolve({ code, signal: null }))),
      kill: () => child.kill(),
    };
  },
};
const asker = { agent, clock: new FakeClock() } as unknown as Asker;

/** What is said of a push that the server does not take. */
async function explained(...args: string[]): Promise<string> {
  expect(await git(checkout, "push", "--quiet", ...args)).not.toBe(0);
  const [push, ...others] = await ended(1);
  expect(others).toEqual([]);
  expect(push).toMatchObject({ worktree: checkout, succeeded: false });
  return whyRefused(asker, push!, ["planted-secret"]);
}

describe("a refused push", () => {
  it.each([
    { branch: "main", shown: "main" },
    { branch: "planted-secret", shown: "***" },
  ])("says that others have pushed, and of which branch: $shown", async ({ branch, shown }) => {
    await commit(other);
    await git(other, "push", "--quiet", "origin", `HEAD:${branch}`);
    await ended(1);
    await commit(checkout);
    const why = await explained("origin", `HEAD:${branch}`);
    expect(why).toBe(`${shown}: [rejected] (fetch first). Have the agent fetch and rebase, or push another branch`);
  });

  it("says that a rule of the server refuses it, where a dry run is taken", async () => {
    const hook = join(root, "server.git", "hooks", "update");
    writeFileSync(hook, "#!/bin/sh\nexit 1\n");
    chmodSync(hook, 0o755);
    await commit(checkout);
    expect(await explained("origin", "HEAD:main")).toMatch(/protected branch or a hook, refuses it/);
    expect(watch.take()).toEqual([]);
  });

  it("has the last lines of git, without secrets", async () => {
    const why = await explained(join(root, "planted-secret.git"), "HEAD:main");
    expect(why).toMatch(/^the push fails: .*\*\*\*\.git.*credential may write/);
    expect(why).not.toContain("planted");
  });
});

describe("what is heard of pushes", () => {
  it("is no other command", async () => {
    await commit(checkout);
    await git(checkout, "fetch", "--quiet");
    await git(checkout, "push", "--quiet", "origin", "HEAD:fix");
    expect(await ended(1)).toEqual([{ worktree: checkout, args: ["origin", "HEAD:fix"], succeeded: true }]);
  });

  it("is the last one of each working tree", async () => {
    const told = [
      { worktree: "/w/a", code: 1 },
      { worktree: "/w/b", code: 1 },
      { worktree: "/w/a", code: 0 },
    ];
    for (const { worktree, code } of told) {
      const socket = connect(pushWatchSocket(root)).resume();
      const events = [
        { event: "def_repo", worktree },
        { event: "cmd_name", name: "push" },
        { event: "exit", code },
      ];
      socket.end(events.map((event) => `${JSON.stringify(event)}\n`).join(""));
      await once(socket, "close");
    }
    expect(watch.take()).toEqual([
      { worktree: "/w/b", args: [], succeeded: false },
      { worktree: "/w/a", args: [], succeeded: true },
    ]);
  });

  it.each([
    { length: 65_536, isEnded: false },
    { length: 65_537, isEnded: true },
  ])("ends with an event of $length units: $isEnded", async ({ length, isEnded }) => {
    const socket: Socket = connect(pushWatchSocket(root));
    let hasEnded = false;
    socket.on("close", () => (hasEnded = true));
    socket.write("x".repeat(length));
    if (isEnded) await expect.poll(() => hasEnded).toBe(true);
    else {
      const lines = ['{"event":"def_repo","worktree":"/w"}', '{"event":"cmd_name","name":"push"}', '{"event":"exit"}'];
      socket.write(`\n${lines.join("\n")}\n`);
      expect(await ended(1)).toEqual([{ worktree: "/w", args: [], succeeded: false }]);
    }
    socket.destroy();
  });

  it("does not hold git up or fail it once nobody listens", () => {
    watch.close();
    expect(execFileSync("git", ["rev-parse", "--abbrev-ref", "HEAD"], { cwd: checkout, env, encoding: "utf8" })).toBe(
      "main\n",
    );
  });
});
