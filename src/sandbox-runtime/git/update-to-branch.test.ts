import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";

import type { SandboxEvent } from "../../api/runtime/messages.ts";
import { FakeClock } from "../../lib/fake-clock.ts";
import type { WorkContext } from "../work-context.ts";
import { updateToBranch } from "./update-to-branch.ts";

const settings = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "protocol.file.allow=always"];
let root: string;
let events: SandboxEvent[];

function git(where: string, ...args: string[]): string {
  return execFileSync("git", [...settings, ...args], {
    cwd: join(root, where),
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  }).trim();
}

function write(where: string, file: string, text: string): void {
  writeFileSync(join(root, where, file), text);
}

function commit(where: string, text: string): void {
  write(where, "a.txt", text);
  git(where, "add", "--all");
  git(where, "commit", "--quiet", `--message=${text}`);
}

const read = (file: string): string => readFileSync(join(root, "workspace", "app", file), "utf8");

/** A server with an app and its library, and the checkout of an image. */
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "runwright-update-"));
  events = [];
  for (const name of ["lib", "app"]) {
    git("", "init", "--quiet", "--initial-branch=main", name);
    commit(name, `${name} 1`);
  }
  git("app", "submodule", "--quiet", "add", join(root, "lib"), "lib");
  commit("app", "app 1 with lib");
  git("", "clone", "--quiet", "--recurse-submodules", "app", "workspace/app");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** A new version of both. */
function publish(): void {
  commit("lib", "lib 2");
  git("app/lib", "pull", "--quiet", "origin", "main");
  commit("app", "app 2");
}

function update(): Promise<boolean> {
  const agent = {
    introduction: { workspace: join(root, "workspace") },
    run(
      { command: [program = "", ...args], cwd, env }: { command: string[]; cwd: string; env: object },
      output: unknown,
    ) {
      const variables = {
        ...process.env,
        ...env,
        GIT_CONFIG_COUNT: "1",
        GIT_CONFIG_KEY_0: "protocol.file.allow",
        GIT_CONFIG_VALUE_0: "always",
      };
      const child = spawn(program, args, { cwd, env: variables, stdio: ["ignore", "pipe", "pipe"] });
      const say = output as (...said: string[]) => void;
      child.stdout.on("data", (text: Buffer) => say("stdout", String(text)));
      child.stderr.on("data", (text: Buffer) => say("stderr", String(text)));
      const ended = new Promise((resolve) => child.once("close", (code) => resolve({ code, signal: null })));
      return { ended, kill: () => child.kill() };
    },
  };
  const context = { agent, clock: new FakeClock(), publish: (event: SandboxEvent) => events.push(event), secrets: [] };
  const repository = {
    name: "app",
    url: join(root, "app"),
    branch: "main",
    clone: { submodules: "Recursive" as const },
  };
  return updateToBranch(context as unknown as WorkContext, repository);
}

it("brings the checkout and its submodules to the branch, and leaves what is not tracked", async () => {
  write("workspace/app", "made.txt", "by setup.sh");
  publish();
  expect(await update()).toBe(true);
  expect([read("a.txt"), read("lib/a.txt"), read("made.txt")]).toEqual(["app 2", "lib 2", "by setup.sh"]);
  expect(events).toEqual([]);
});

it("follows a submodule that moved, also into which setup.sh wrote", async () => {
  publish();
  git("", "clone", "--quiet", "lib", "moved");
  git("app", "submodule", "--quiet", "set-url", "lib", join(root, "moved"));
  commit("app", "app 3");
  rmSync(join(root, "lib"), { recursive: true });
  write("workspace/app/lib", "a.txt", "changed by setup.sh");
  write("workspace/app/lib", "made.txt", "by setup.sh");
  expect(await update()).toBe(true);
  expect([read("a.txt"), read("lib/a.txt"), read("lib/made.txt")]).toEqual(["app 3", "lib 2", "by setup.sh"]);
});

it("is all as in the image where a submodule cannot be had, and says why", async () => {
  const before = git("workspace/app", "rev-parse", "HEAD");
  publish();
  rmSync(join(root, "lib"), { recursive: true });
  expect(await update()).toBe(false);
  expect([read("a.txt"), read("lib/a.txt")]).toEqual(["app 1 with lib", "lib 1"]);
  expect(git("workspace/app", "rev-parse", "HEAD")).toBe(before);
  expect(git("workspace/app", "branch", "--show-current")).toBe("main");
  expect(events).toMatchObject([{ kind: "warning", scope: "restore", repository: "app" }]);
  expect(JSON.stringify(events)).toMatch(
    /branch main could not be updated \(git submodule exited with status \d+: .+\); the checkout is that of the prebuilt image/,
  );
});

it("is as in the image where the branch is gone, and says why", async () => {
  git("app", "branch", "--move", "main", "trunk");
  expect(await update()).toBe(false);
  expect(read("a.txt")).toBe("app 1 with lib");
  expect(JSON.stringify(events)).toMatch(/git fetch exited with status \d+: fatal: couldn't find remote ref/);
  expect(existsSync(join(root, "workspace", "app", "lib", "a.txt"))).toBe(true);
});
