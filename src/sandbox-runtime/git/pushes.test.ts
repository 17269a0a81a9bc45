import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { FakeClock } from "../../lib/fake-clock.ts";
import type { Asker } from "./git-state.ts";
import { pushesSince, readRecords, stateOf } from "./pushes.ts";

const who = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
let root: string;
let checkout: string;
let other: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "runwright-pushes-"));
  [checkout, other] = [join(root, "checkout"), join(root, "other")];
  git(root, "init", "--quiet", "--bare", "--initial-branch=main", "server.git");
  git(root, "clone", "--quiet", "server.git", "checkout");
  commit(checkout);
  git(checkout, "push", "--quiet", "origin", "HEAD:main");
  git(root, "clone", "--quiet", "server.git", "other");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function git(where: string, ...args: string[]): string {
  return execFileSync("git", [...who, ...args], {
    cwd: where,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  }).trim();
}

function commit(where: string): string {
  git(where, "commit", "--quiet", "--allow-empty", `--message=${Math.random().toString()}`);
  return git(where, "rev-parse", "HEAD");
}

const agent = {
  run({ command: [program = "", ...args], cwd }: { command: string[]; cwd: string }, output: unknown) {
    const child = spawn(program, args, { cwd, stdio: ["ignore", "pipe", "ignore"] });
    child.stdout.on("data", (text: Buffer) => (output as (...said: string[]) => void)("stdout", String(text)));
    return { ended: new Promise((resolve) => child.once("close", (code) => resolve({ code, signal: null }))) };
  },
};
const asker = { agent, clock: new FakeClock() } as unknown as Asker;

/** What was pushed during some work. */
async function pushedBy(work: () => void): Promise<unknown> {
  const before = await stateOf(asker, checkout);
  work();
  return pushesSince(asker, checkout, before);
}

function push(branch: string): string {
  git(checkout, "checkout", "--quiet", "-B", branch, "main");
  const id = commit(checkout);
  git(checkout, "push", "--quiet", "origin", "HEAD");
  return id;
}

describe("what was pushed", () => {
  it("is nothing where nothing was, whatever was pushed before or by others", async () => {
    push("before");
    const found = await pushedBy(() => {
      commit(checkout);
      commit(other);
      git(other, "push", "--quiet", "origin", "HEAD:theirs");
      git(checkout, "fetch", "--quiet", "origin");
    });
    expect(found).toEqual([]);
  });

  it("is found wherever HEAD ends", async () => {
    let id = "";
    const found = await pushedBy(() => {
      id = push("fix/1");
      git(checkout, "checkout", "--quiet", "main");
    });
    expect(found).toEqual([{ branch: "fix/1", commit: id }]);
  });

  it("is each branch once, as it was pushed last, and first the one that is checked out", async () => {
    let [one, two] = ["", ""];
    const found = await pushedBy(() => {
      push("one");
      two = push("two");
      git(checkout, "checkout", "--quiet", "one");
      one = commit(checkout);
      git(checkout, "push", "--quiet", "--force", "origin", "HEAD:one");
    });
    expect(found).toEqual([
      { branch: "one", commit: one },
      { branch: "two", commit: two },
    ]);
  });

  it("may be a commit that was there before", async () => {
    const id = git(checkout, "rev-parse", "HEAD");
    expect(await pushedBy(() => git(checkout, "push", "--quiet", "origin", "HEAD:copy"))).toEqual([
      { branch: "copy", commit: id },
    ]);
  });

  it("is what is checked out, where git notes nothing of a push to a URL", async () => {
    let id = "";
    const found = await pushedBy(() => {
      id = commit(checkout);
      git(checkout, "push", "--quiet", join(root, "server.git"), "HEAD:by-url");
    });
    expect(found).toEqual([{ branch: "by-url", commit: id }]);
  });

  it("is nothing where a push was refused, or went elsewhere", async () => {
    git(root, "clone", "--quiet", "--bare", "server.git", "fork.git");
    git(checkout, "remote", "add", "fork", join(root, "fork.git"));
    const found = await pushedBy(() => {
      commit(other);
      git(other, "push", "--quiet", "origin", "HEAD:main");
      git(checkout, "checkout", "--quiet", "-B", "main", "origin/main");
      commit(checkout);
      expect(() => git(checkout, "push", "--quiet", "origin", "HEAD:main")).toThrow();
      git(checkout, "push", "--quiet", "fork", "HEAD:elsewhere");
    });
    expect(found).toEqual([]);
  });
});

describe("records of git", () => {
  const id = "a".repeat(40);
  it.each([
    { name: "of a tag", record: `refs/tags/v1@{1 +0000}\t${id}` },
    { name: "of another remote", record: `refs/remotes/fork/a@{1 +0000}\t${id}` },
    { name: "without a commit", record: "refs/remotes/origin/a@{1 +0000}\t" },
    { name: "of nonsense", record: "nonsense" },
    { name: "of a name of 1,025 characters", record: `refs/remotes/origin/${"x".repeat(1_025)}@{1 +0000}\t${id}` },
  ])("$name are no pushes", ({ record }) => {
    expect(readRecords([record])).toEqual([]);
  });

  it.each(["fix/1", "a@{b", "x".repeat(1_024)])("may be of the branch %s", (branch) => {
    expect(readRecords([`refs/remotes/origin/${branch}@{1795828643 -0330}\t${id}`])).toEqual([{ branch, commit: id }]);
  });
});
