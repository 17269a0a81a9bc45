import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { BundleRepository } from "../../api/runtime/bundle.ts";
import { FakeClock } from "../../lib/fake-clock.ts";
import type { WorkContext } from "../work-context.ts";
import { clone } from "./clone.ts";

const who = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
let root: string;
let commits: string[];
const git = (where: string, ...args: string[]): string =>
  execFileSync("git", [...who, ...args], {
    cwd: join(root, where),
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  }).trim();

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "runwright-clone-"));
  mkdirSync(join(root, "workspace"));
  mkdirSync(join(root, "bin"));
  git("", "init", "--quiet", "--initial-branch=main", "server");
  git("server", "config", "uploadpack.allowFilter", "true");
  commits = ["one", "two", "three"].map((text) => {
    writeFileSync(join(root, "server", "a.txt"), text);
    git("server", "add", "--all");
    git("server", "commit", "--quiet", `--message=${text}`);
    return git("server", "rev-parse", "HEAD");
  });
  git("server", "branch", "topic", commits[1]!);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const agent = {
  run(
    { command: [program = "", ...args], cwd, env }: { command: string[]; cwd: string; env: object },
    output: unknown,
  ) {
    const path = `${join(root, "bin")}:${process.env.PATH ?? ""}`;
    const child = spawn(program, args, { cwd, env: { ...env, PATH: path }, stdio: ["ignore", "pipe", "pipe"] });
    const say = output as (...said: string[]) => void;
    child.stdout.on("data", (text: Buffer) => say("stdout", String(text)));
    child.stderr.on("data", (text: Buffer) => say("stderr", String(text)));
    return { ended: new Promise((resolve) => child.once("close", (code) => resolve({ code, signal: null }))) };
  },
};

/** The problem; the checkout is below the workspace. */
function cloned(more: Partial<BundleRepository>, isClosed = false): Promise<string | undefined> {
  const context = {
    agent: { ...agent, isClosed, introduction: { workspace: join(root, "workspace") } },
    clock: new FakeClock(),
    log: { info: () => undefined },
    publish: () => undefined,
    secrets: [],
  };
  const repository = { name: "app", url: `file://${join(root, "server")}`, branch: "main", ...more };
  return clone(context as unknown as WorkContext, repository);
}

const checkedOut = (): [string, number, string] => [
  readFileSync(join(root, "workspace", "app", "a.txt"), "utf8"),
  Number(git("workspace/app", "rev-list", "--count", "HEAD")),
  git("workspace/app", "branch", "--show-current"),
];

it.each<[string, Partial<BundleRepository>, [string, number, string]]>([
  ["all of the branch", {}, ["three", 3, "main"]],
  ["another branch", { branch: "topic" }, ["two", 2, "topic"]],
  ["1 commit", { clone: { depth: 1 } }, ["three", 1, "main"]],
  ["2 commits", { clone: { depth: 2 } }, ["three", 2, "main"]],
  ["more commits than there are", { clone: { depth: 4 } }, ["three", 3, "main"]],
  ["no blobs but those of the checkout", { clone: { filter: "blob:none" } }, ["three", 3, "main"]],
])("clones %s", async (_name, more, want) => {
  expect(await cloned(more)).toBeUndefined();
  expect(checkedOut()).toEqual(want);
});

it.each([
  { name: "of the branch", clone: undefined, count: 1 },
  { name: "behind the depth", clone: { depth: 1 }, count: 1 },
  { name: "of a partial clone", clone: { filter: "blob:none" }, count: 1 },
])("checks out a commit $name, detached", async ({ clone, count }) => {
  expect(await cloned({ commit: commits[0]!, clone })).toBeUndefined();
  expect(checkedOut()).toEqual(["one", count, ""]);
});

it("leaves out what the filter says until it is needed", async () => {
  await cloned({ clone: { filter: "blob:none" } });
  const missing = git("workspace/app", "rev-list", "--objects", "--all", "--missing=print");
  expect(missing.split("\n").filter((line) => line.startsWith("?"))).toHaveLength(2);
  expect(git("workspace/app", "show", "HEAD~2:a.txt")).toBe("one");
});

it("knows a branch that is pushed from a shallow clone", async () => {
  await cloned({ clone: { depth: 1 } });
  git("workspace/app", "switch", "--quiet", "--create", "fix");
  git("workspace/app", "push", "--quiet", "origin", "fix");
  expect(git("workspace/app", "rev-parse", "origin/fix")).toBe(commits[2]);
});

it("says which branch is the server's default where the branch is not there", async () => {
  git("server", "branch", "--move", "main", "master");
  expect(await cloned({})).toMatch(
    /^repository app: git clone exited with status 128: .*Remote branch main not found.*; the server's default branch is master: set spec\.branch of Repository app$/,
  );
});

it("says no more where the server has no default branch", async () => {
  git("server", "symbolic-ref", "HEAD", "refs/heads/gone");
  expect(await cloned({ branch: "none" })).toMatch(/Remote branch none not found in upstream origin$/);
});

it("says so at once where a commit is not there", async () => {
  const problem = await cloned({ commit: "0123456789".repeat(4) });
  expect(problem).toMatch(/^repository app: git fetch exited with status 128: .*not our ref/);
});

it.each([
  { lfs: undefined, want: "" },
  { lfs: "Skip", want: "" },
  { lfs: "Fetch", want: "install --local\npull\n" },
] as const)("has git-lfs fetch files with lfs: $lfs", async ({ lfs, want }) => {
  const calls = join(root, "calls");
  writeFileSync(calls, "");
  writeFileSync(join(root, "bin", "git-lfs"), `#!/bin/sh\necho "$*" >> ${calls}\n`, { mode: 0o755 });
  expect(await cloned({ clone: { lfs } })).toBeUndefined();
  expect(readFileSync(calls, "utf8")).toBe(want);
});

it("names git-lfs where the image lacks it", async () => {
  const missing = `#!/bin/sh\necho "git: 'lfs' is not a git command. See 'git --help'." >&2\nexit 1\n`;
  writeFileSync(join(root, "bin", "git-lfs"), missing, { mode: 0o755 });
  expect(await cloned({ clone: { lfs: "Fetch" } })).toBe(
    "repository app: git lfs exited with status 1: git: 'lfs' is not a git command. See 'git --help'.",
  );
});

describe("of what git, git-lfs and ssh say", () => {
  const gone = "fatal: Could not read from remote repository.";
  const advice = "\nPlease make sure you have the correct access rights\nand the repository exists.";
  it.each([
    {
      name: "of GitHub over SSH",
      says: `Cloning into 'app'...\nERROR: Repository not found.\n${gone}\n${advice}`,
      want: `ERROR: Repository not found.; ${gone}`,
    },
    {
      name: "of GitLab over SSH",
      says: `Cloning into 'app'...\nremote: \nremote: ========================================\nremote: \nremote: ERROR: The project was not found.\nremote: \n${gone}\n${advice}`,
      want: `remote: ERROR: The project was not found.; ${gone}`,
    },
    {
      name: "of ssh without DNS",
      says: `ssh: Could not resolve hostname git.example.com: does not exist\n${gone}`,
      want: `ssh: Could not resolve hostname git.example.com: does not exist; ${gone}`,
    },
    {
      name: "of a connection that ssh has not got, not found there",
      says: `kex_exchange_identification: Connection closed: not found\nConnection closed by 10.0.0.1 port 22\n${gone}`,
      want: `kex_exchange_identification: Connection closed: not found; Connection closed by 10.0.0.1 port 22; ${gone}`,
    },
    {
      name: "of progress in one line",
      says: "Cloning into 'app'...\nReceiving objects:   1% (1/90)\rReceiving objects:  90% (81/90)\rfatal: write error: No space left on device",
      want: "fatal: write error: No space left on device",
    },
  ])("the words stay $name", async ({ says, want }) => {
    expect(await failing("git", says)).toBe(`repository app: git clone exited with status 1: ${want}`);
  });

  it.each([
    "batch response: This repository is over its data quota.",
    `[${"4".repeat(64)}] Object does not exist on the server: [404] Object does not exist on the server`,
    "LFS: Client error: https://storage.example.com/a not found",
    "Error downloading object: a.bin (4a): Smudge error: not found",
  ])("the words of git-lfs stay: %s", async (why) => {
    const last = "error: failed to fetch some objects from 'https://git.example.com/a.git/info/lfs'";
    const problem = await failing("git-lfs", `fetch: Fetching reference refs/heads/main\n${why}\n${last}`);
    expect(problem).toBe(`repository app: git lfs exited with status 1: ${why}; ${last}`);
  });

  it("the last line stays where none explains", async () => {
    expect(await failing("git", "Cloning into 'app'...\nReceiving objects: 3% (1/30)")).toMatch(
      /: Receiving objects: 3% \(1\/30\)$/,
    );
  });

  /** The problem where this program fails with these words. */
  function failing(program: string, says: string): Promise<string | undefined> {
    writeFileSync(join(root, "said"), says);
    const script = `#!/bin/sh\ncat ${join(root, "said")} >&2\nexit 1\n`;
    writeFileSync(join(root, "bin", program), script, { mode: 0o755 });
    // Without a second try.
    return cloned({ clone: { lfs: "Fetch" } }, true);
  }
});
