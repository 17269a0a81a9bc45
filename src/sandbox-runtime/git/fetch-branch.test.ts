import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { SandboxEvent } from "../../api/runtime/messages.ts";
import { FakeClock } from "../../lib/fake-clock.ts";
import type { WorkContext } from "../work-context.ts";
import { fetchBranch } from "./fetch-branch.ts";

const who = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
let root: string;
let checkout: string;
const git = (cwd: string, ...args: string[]): string =>
  execFileSync("git", [...who, ...args], { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
let commits = 0;
/** Each is another one, also within a second. */
const commit = (cwd: string): string =>
  git(cwd, "commit", "--allow-empty", "--quiet", `--message=${String((commits += 1))}`);

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "runwright-fetch-"));
  git(root, "init", "--quiet", "--initial-branch=main", "server");
  commit(join(root, "server"));
  git(root, "clone", "--quiet", "server", "app");
  checkout = join(root, "app");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const agent = {
  introduction: { workspace: "" },
  run({ command: [program = "", ...args], cwd }: { command: string[]; cwd: string }, output: unknown) {
    const child = spawn(program, args, { cwd, stdio: ["ignore", "pipe", "pipe"] });
    const say = output as (...said: string[]) => void;
    child.stdout.on("data", (text: Buffer) => say("stdout", String(text)));
    child.stderr.on("data", (text: Buffer) => say("stderr", String(text)));
    const ended = new Promise((resolve) => child.once("close", (code) => resolve({ code, signal: null })));
    return { ended, kill: () => child.kill() };
  },
};

/** What is published about the checkout. */
async function published(branch = "main", commit?: string): Promise<SandboxEvent[]> {
  const events: SandboxEvent[] = [];
  const context = {
    agent: { ...agent, introduction: { workspace: root } },
    clock: new FakeClock(),
    secrets: [],
    publish: (event: SandboxEvent) => void events.push(event),
  };
  await fetchBranch(context as unknown as WorkContext, { name: "app", url: "", branch, commit });
  return events;
}

const warning = (message: string): SandboxEvent => ({ kind: "warning", scope: "restore", repository: "app", message });

it.each([
  { theirs: 0, own: 0, want: undefined },
  { theirs: 0, own: 1, want: undefined },
  { theirs: 1, own: 0, want: "the restored checkout is 1 commit behind origin/main; it stays as it is" },
  {
    theirs: 2,
    own: 1,
    want: "the restored checkout is 2 commits behind origin/main and has 1 commit that it has not; it stays as it is",
  },
])("says how far a checkout with $own own commits is behind $theirs new ones", async ({ theirs, own, want }) => {
  for (let count = 0; count < theirs; count += 1) commit(join(root, "server"));
  for (let count = 0; count < own; count += 1) commit(checkout);
  expect(await published()).toEqual(want === undefined ? [] : [warning(want)]);
});

it.each([
  { clone: ["--depth=1"], want: 2 },
  { clone: ["--filter=blob:none"], want: 2 },
])("says how far a checkout of git clone $clone is behind", async ({ clone, want }) => {
  rmSync(checkout, { recursive: true });
  git(join(root, "server"), "config", "uploadpack.allowFilter", "true");
  for (let count = 0; count < 3; count += 1) commit(join(root, "server"));
  git(root, "clone", "--quiet", ...clone, `file://${join(root, "server")}`, "app");
  for (let count = 0; count < want; count += 1) commit(join(root, "server"));
  expect(await published()).toEqual([
    warning(`the restored checkout is ${want} commits behind origin/main; it stays as it is`),
  ]);
});

it("says nothing of a checkout of a commit, which a session named", async () => {
  commit(join(root, "server"));
  expect(await published("main", git(checkout, "rev-parse", "HEAD"))).toEqual([]);
});

it("leaves branch, index and files as they are", async () => {
  commit(join(root, "server"));
  git(checkout, "switch", "--quiet", "--create", "topic");
  commit(checkout);
  writeFileSync(join(checkout, "staged.txt"), "staged");
  git(checkout, "add", "staged.txt");
  writeFileSync(join(checkout, "work.txt"), "unsaved");
  const state = (): string[] =>
    [
      ["status", "--porcelain", "--branch"],
      ["log", "--all", "--oneline", "--not", "--remotes"],
    ].map((args) => git(checkout, ...args));
  const before = state();
  await published();
  expect(state()).toEqual(before);
  expect(git(checkout, "rev-parse", "origin/main")).toBe(git(join(root, "server"), "rev-parse", "main"));
});

it.each([
  { name: "the server is away", spoil: () => rmSync(join(root, "server"), { recursive: true }) },
  { name: "the checkout is gone from git", spoil: () => rmSync(join(checkout, ".git"), { recursive: true }) },
  { name: "the branch was deleted", spoil: () => git(join(root, "server"), "branch", "--move", "other") },
])("goes on and says so where $name", async ({ spoil }) => {
  spoil();
  const message = expect.stringMatching(
    /^branch main could not be fetched \(git fetch exited with status 128: .+\), so the restored checkout may be behind it$/,
  ) as unknown as string;
  expect(await published()).toEqual([warning(message)]);
});
