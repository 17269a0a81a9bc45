import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";

import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

import type { Bundle } from "../../../src/api/runtime/bundle.ts";
import type { GitServer } from "../../support/git-server.ts";
import type { TestGateway } from "../../support/runtime-gateway.ts";
import { eventually, type World } from "../../support/runtime-world.ts";
import {
  ask,
  openSandboxWorkWorld,
  type SandboxWorkWorld,
  shell,
  type StartedSandbox,
} from "../../support/sandbox-work-world.ts";

const credential = { username: "robot", password: "planted-password" };

// Each starts two processes and git, which on a busy machine takes its time.
vi.setConfig({ testTimeout: 600_000 });

let world: World;
let git: GitServer;
let gateway: TestGateway;
let work: SandboxWorkWorld;

beforeAll(async () => {
  work = await openSandboxWorkWorld(credential);
  ({ world, gateway, git } = work);
});
afterAll(() => work.close());

const start = (bundle: Partial<Bundle>): Promise<StartedSandbox> => work.launch({ bundle });

describe("boot", () => {
  const repository = async (name: string, files: Record<string, string>): Promise<Bundle["repositories"][number]> => ({
    name,
    url: await git.addRepository(name, files),
    branch: "main",
    credential,
    caCertificates: world.ca,
  });

  it.each([
    {
      name: "a wrong password",
      change: { credential: { username: "robot", password: "planted-wrong" } },
      want: "Authentication failed",
    },
    { name: "no credential", change: { credential: undefined }, want: "could not read Username" },
    { name: "a branch that is not there", change: { branch: "none" }, want: "Remote branch none not found" },
    { name: "an authority that is not trusted", change: { caCertificates: undefined }, want: "certificate" },
  ])("fails for good in phase clone with $name", async ({ change, want }) => {
    const good = await repository(`bad-${Math.random().toString(36).slice(2, 8)}`, { "a.txt": "a" });
    const one = await start({ repositories: [{ ...good, ...change }] });
    const failure = JSON.parse(await one.sandbox.noted("boot-failure")) as { message: string };
    expect(failure).toMatchObject({ phase: "clone", reason: "CloneFailed" });
    expect(failure.message).toContain(want);
    expect(failure.message).not.toContain("planted");
    // A prompt that comes all the same ends at once.
    const { name } = await one.sandbox.prompt("too late");
    const stored = await one.sandbox.settled(name);
    expect(stored).toMatchObject({ conditions: [{ status: "False", reason: "Failed" }, { type: "Stalled" }] });
  });

  it.each(["Shop A/_git/café", "a+b", "a%20b"])("clones the repository %s, whose URL has escapes", async (path) => {
    const name = `escapes-${Math.random().toString(36).slice(2, 8)}`;
    const escaped = { ...(await repository(`${name}/${path}`, { "a.txt": "escaped\n" })), name };
    for (const url of [escaped.url, escaped.url.replace(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase())]) {
      const one = await start({ repositories: [{ ...escaped, url }], agent: shell("bash") });
      const { result } = await ask(one, "cat a.txt; git push --quiet origin HEAD:refs/heads/pushed && echo pushed");
      expect(result).toMatchObject({ summary: "escaped\npushed" });
    }
  });

  it("clones shallowly and with submodules, of which each has its Repository's credential", async () => {
    const library = await repository("clone-lib", { "lib.txt": "library" });
    const url = library.url;
    const app = await repository("clone-app", { ".gitmodules": `[submodule "lib"]\n\tpath = lib\n\turl = ${url}\n` });
    const link = `160000,${(await git.git("clone-lib", "rev-parse", "main")).trim()},lib`;
    await git.git("clone-app", "read-tree", "main");
    await git.git("clone-app", "update-index", "--add", "--cacheinfo", link);
    const tree = (await git.git("clone-app", "write-tree")).trim();
    const who = ["-c", "user.name=a", "-c", "user.email=a@localhost"];
    const commit = await git.git("clone-app", ...who, "commit-tree", tree, "-p", "main", "-m", "Link");
    await git.git("clone-app", "update-ref", "refs/heads/main", commit.trim());
    const one = await start({
      repositories: [{ ...app, clone: { depth: 1, submodules: "Recursive" } }, library],
      agent: shell("bash"),
    });
    const { result } = await ask(one, "git rev-list --count HEAD; cat lib/lib.txt");
    expect(result).toMatchObject({ summary: "1\nlibrary" });
  });

  it("has hooks and agent know the Run's trace, which no secret replaces", async () => {
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    const note = (name: string): string => `echo "${name} $TRACEPARENT" >> ../traces.txt`;
    const hooks = { ".runwright/setup.sh": note("setup"), ".runwright/start.sh": note("start") };
    const one = await start({
      traceparent,
      environment: { TRACEPARENT: "planted" },
      repositories: [await repository("traced", hooks)],
      agent: shell(`${note("agent")}; cat ../traces.txt`),
    });
    const { result } = await ask(one);
    const summary = ["setup", "start", "agent"].map((name) => `${name} ${traceparent}`).join("\n");
    expect(result).toMatchObject({ summary });
  });

  it("warns of a failed setup.sh, and of a failed start.sh of a repository that is not the primary", async () => {
    const hooks = (setup: number, start: number): Record<string, string> => ({
      ".runwright/setup.sh": `echo setup $PWD >> ../hooks.txt; exit ${setup}`,
      ".runwright/start.sh": `echo start $PWD >> ../hooks.txt; exit ${start}`,
    });
    const primary = await repository("warn-a", hooks(3, 0));
    const second = await repository("warn-b", hooks(0, 4));
    const one = await start({ repositories: [primary, second] });
    await one.sandbox.noted("ready-time");
    const { workspace } = one.processes;
    const ran = await readFile(join(workspace, "hooks.txt"), "utf8");
    expect(ran.replaceAll(`${workspace}/`, "").trim().split("\n")).toEqual([
      "setup warn-a",
      "setup warn-b",
      "start warn-a",
      "start warn-b",
    ]);
  });

  it("notes which hooks failed while boot went on, each with the last of its standard error and without secrets", async () => {
    const failing = (code: number): string => `echo "no space for $PLANTED" >&2; exit ${code}`;
    const one = await start({
      environment: { PLANTED: "planted-value" },
      repositories: [
        await repository("passed-a", { ".runwright/setup.sh": failing(3) }),
        await repository("passed-b", { ".runwright/start.sh": failing(4) }),
      ],
    });
    expect(JSON.parse(await one.sandbox.noted("passed-over"))).toEqual([
      { hook: "setup", message: "setup.sh of repository passed-a exited with status 3: no space for ***" },
      { hook: "start", message: "start.sh of repository passed-b exited with status 4: no space for ***" },
    ]);
  });

  it("fails for good when start.sh of the primary repository does, and ends what it had begun", async () => {
    const script = "(sleep 300) & echo $! > ../sleep.pid; echo no database >&2; exit 5";
    const one = await start({ repositories: [await repository("fatal", { ".runwright/start.sh": script })] });
    expect(JSON.parse(await one.sandbox.noted("boot-failure"))).toEqual({
      phase: "start",
      reason: "HookFailed",
      message: "start.sh of repository fatal exited with status 5: no database",
    });
    const pid = Number(await readFile(join(one.processes.workspace, "sleep.pid"), "utf8"));
    await eventually("the sleeper is gone", async () => !(await isAlive(pid)));
  });

  it("fails for good when the agent's program is not there", async () => {
    const one = await start({ agent: { command: ["no-such-agent", "--flag"], protocol: "exec" } });
    expect(JSON.parse(await one.sandbox.noted("boot-failure"))).toEqual({
      phase: "agent",
      reason: "AgentNotStarted",
      message: 'there is no program "no-such-agent"',
    });
  });
});

it("puts the payload of its Run into the agent's home before the hooks run", async () => {
  const payload = `{"p":"Größe 𝄞 ${"x".repeat(65_000)}"}`;
  const script = "cp ~/.runwright/payload.json ../payload-in-setup.json";
  const url = await git.addRepository("payload", { ".runwright/setup.sh": script });
  const repository = { name: "payload", url, branch: "main", credential, caCertificates: world.ca };
  const one = await start({
    payload,
    repositories: [repository],
    agent: shell("cat ~/.runwright/payload.json > ../seen.json"),
  });
  await ask(one);
  for (const name of ["payload-in-setup.json", "seen.json"]) {
    expect((await readFile(join(one.processes.workspace, name), "utf8")) === payload).toBe(true);
  }
});

describe("a prompt", () => {
  it("reaches the agent on standard input byte for byte", async () => {
    const prompt = `Größe 𝄞 "quoted" $(x) \`y\`\n\nline\ttab \\ end${"x".repeat(60_000)}`;
    const one = await start({ agent: shell("cat > prompt.txt; wc -c < prompt.txt") });
    await ask(one, prompt);
    expect((await readFile(join(one.processes.workspace, "prompt.txt"), "utf8")) === prompt).toBe(true);
  });

  it.each([
    { name: "status 0", script: "echo fine", want: { status: "True", reason: "Completed" }, summary: "fine" },
    {
      name: "status 7",
      script: "echo half; exit 7",
      want: { status: "False", message: "the agent exited with status 7: half" },
      summary: "half",
    },
    {
      name: "a signal",
      script: "kill -TERM $$",
      want: { status: "False", message: "the agent was ended by SIGTERM" },
      summary: undefined,
    },
    {
      name: "SIGKILL",
      script: "kill -KILL $$",
      want: { message: "the agent was ended by SIGKILL, perhaps because it ran out of memory" },
      summary: undefined,
    },
    {
      name: "a report",
      script: `echo text; echo '{"type":"result","summary":"said","branch":"b","commit":"${"a".repeat(40)}"}'; echo '{"type":"other"}'`,
      want: { status: "True" },
      summary: "said",
    },
    {
      name: "input that the agent does not read",
      script: "exec 0<&-; echo deaf",
      want: { status: "True" },
      summary: "deaf",
    },
    {
      name: "a child that holds the output open",
      script: "sleep 300 & echo left",
      want: { status: "True" },
      summary: "left",
    },
  ])("ends by the agent's verdict: $name", async ({ script, want, summary }) => {
    const status = await ask(await start({ agent: shell(script) }), "go ".repeat(30_000).slice(0, 64_000));
    expect(status).toMatchObject({
      conditions: [{ type: "Succeeded", ...want }, ...(want.status === "True" ? [] : [{}])],
    });
    expect((status.result as { summary?: string }).summary).toBe(summary);
  });

  it("has all branches that it pushed in its result, in whatever repository and wherever HEAD ends", async () => {
    const repositories = await Promise.all(
      ["pushes-a", "pushes-b"].map(async (name) => {
        const url = await git.addRepository(name, { "a.txt": "a" });
        return { name, url, branch: "main", credential, caCertificates: world.ca };
      }),
    );
    const push = (branch: string): string =>
      `git checkout -q -b ${branch} && git commit -q --allow-empty -m x && git push -q origin HEAD && git checkout -q main`;
    const one = await start({ repositories, agent: shell("bash") });
    const tip = async (name: string, branch: string): Promise<string> =>
      (await git.git(name, "rev-parse", branch)).trim();
    const both = await ask(one, `${push("one")} && cd ../pushes-b && ${push("two")}`);
    const commits = [await tip("pushes-a", "one"), await tip("pushes-b", "two")];
    expect(both.result).toEqual({
      branch: "one",
      commit: commits[0],
      pushes: [
        { repository: "pushes-a", branch: "one", commit: commits[0] },
        { repository: "pushes-b", branch: "two", commit: commits[1] },
      ],
    });
    const second = await ask(one, `cd ../pushes-b && ${push("three")}`);
    const commit = await tip("pushes-b", "three");
    expect(second.result).toEqual({ pushes: [{ repository: "pushes-b", branch: "three", commit }] });
    expect((await ask(one, "true")).result).toEqual({});
  });

  it("says that its last push was refused, whatever the agent says", async () => {
    const url = await git.addRepository("refusing", { "a.txt": "a" });
    const repository = { name: "refusing", url, branch: "main", credential, caCertificates: world.ca };
    const one = await start({ repositories: [repository], agent: shell("bash") });
    const refused =
      "git commit -q --allow-empty -m x && git push -q origin HEAD:clash && git commit -q --amend --allow-empty -m y";
    const { conditions } = await ask(one, `${refused} && { git push -q origin HEAD:clash; echo All is pushed; }`);
    expect(conditions).toMatchObject([
      {
        type: "Succeeded",
        status: "True",
        message: expect.stringMatching(
          /last git push in repository refusing was refused: clash: \[rejected\] \(non-fast-forward\)\. Have/,
        ) as string,
      },
    ]);
    const again = await ask(one, "git push -q --force origin HEAD:clash");
    expect(again.conditions).toMatchObject([{ message: expect.not.stringContaining("refused") as string }]);
  });

  it("says what the agent last said of its failure, and no part of a secret wherever its words are cut", async () => {
    const environment = { TOKEN: "planted-token" };
    const report = String.raw`printf '{"type":"result","summary":"%04090d planted-token"}\n' 0`;
    const complaint = String.raw`printf 'first\n%0290d planted-token\n\n' 0 >&2`;
    const one = await start({ environment, agent: shell(`${report}; ${complaint}; exit 3`) });
    const zeros = (count: number): string => "0".repeat(count);
    expect(await ask(one)).toMatchObject({
      conditions: [{ message: `the agent exited with status 3: ${zeros(290)} ***` }, {}],
      result: { summary: `${zeros(4_090)} ***` },
    });
  });

  it("works with as many secrets as a session may have", async () => {
    const environment = Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`S${index}`, "x".repeat(16_384)]));
    const one = await start({ environment, agent: shell("cat > /dev/null; env | grep '^S[0-7]=x' | wc -c") });
    expect((await ask(one, "x".repeat(64_000))).result).toEqual({ summary: String(8 * (16_384 + 4)) });
  });

  it("fails for good with a bundle that cannot be worked with, and lives to say so", async () => {
    const bad = { name: "bad", url: "https://[bad/x", branch: "main", caCertificates: world.ca };
    const one = await start({ repositories: [bad] });
    expect(JSON.parse(await one.sandbox.noted("boot-failure"))).toMatchObject({
      message: "the bundle cannot be used: ERR_INVALID_URL",
    });
    expect(one.processes.runtime.exitCode).toBeNull();
  });

  it("has the cost that its agent wrote, beside that of all prompts of the sandbox", async () => {
    const one = await start({ agent: shell("cat") });
    const line = (costUsd: unknown): string => JSON.stringify({ usage: { costUsd, inputTokens: 7 } });
    const first = await ask(one, `${line(0.25)}\n${line(0.5)}`);
    expect(first.usage).toEqual({ costUsd: "0.5", sandboxCostUsd: "0.5", inputTokens: 7 });
    const second = await ask(one, line(0.25));
    expect(second.usage).toEqual({ costUsd: "0.25", sandboxCostUsd: "0.75", inputTokens: 7 });
    const third = await ask(one, line("0.25"));
    expect(third.usage).toEqual({ inputTokens: 7 });
  });

  it("survives an agent that floods its output", async () => {
    const one = await start({
      agent: shell("head -c 30000000 /dev/zero | tr '\\0' 'x'; echo; echo end; yes | head -c 5000000 >&2"),
    });
    const status = await ask(one, "flood");
    expect(status).toMatchObject({ conditions: [{ status: "True" }], result: { summary: "[…]\nend" } });
    const closes = await gateway.registry.getSingleMetric("runwright_gateway_sandbox_closes_total")?.get();
    expect(closes?.values.filter(({ labels }) => labels.cause === "flooding")).toEqual([]);
  });

  it("fails when the agent's container is gone, and the runtime lives to say so", async () => {
    const one = await start({ agent: shell("touch begun; sleep 300") });
    await one.sandbox.noted("ready-time");
    const { name } = await one.sandbox.prompt("x");
    await eventually("begun", () => readFile(join(one.processes.workspace, "begun")).catch(() => undefined));
    one.processes.agent.kill("SIGKILL");
    const status = await one.sandbox.settled(name);
    expect(status).toMatchObject({
      conditions: [{ message: "the agent's container ended, perhaps because it ran out of memory" }, {}],
    });
    expect(one.processes.runtime.exitCode).toBeNull();
  });

  it("is ended with all its processes when the controller settles it, and the next one is taken", async () => {
    const one = await start({
      agent: shell(
        'p=$(cat); if [ "$p" = long ]; then (trap "" TERM; sleep 300) & echo $! > pid; wait; fi; echo "did $p"',
      ),
    });
    await one.sandbox.noted("ready-time");
    const long = await one.sandbox.prompt("long");
    const pid = Number(
      await eventually("pid", () => readFile(join(one.processes.workspace, "pid"), "utf8").catch(() => undefined)),
    );
    await one.sandbox.settle(long.name, "ExecutionTimeout");
    const next = await one.sandbox.prompt("next");
    const status = await one.sandbox.settled(next.name);
    expect(status).toMatchObject({ result: { summary: "did next" } });
    await eventually("its processes are gone", async () => !(await isAlive(pid)));
    expect((await one.sandbox.readPrompt(long.name)).status).not.toHaveProperty("lateResult");
  });
});

describe("what the agent finds", () => {
  it("is the session's secrets and the platform's names, and no token or credential", async () => {
    const name = "peek";
    const url = await git.addRepository(name, { "a.txt": "a" });
    const script =
      'env -0 | tr "\\n\\0" " \\n" > ../env.txt; git config --list --show-origin > ../config.txt; cat .git/config >> ../config.txt; git remote -v >> ../config.txt';
    const one = await start({
      repositories: [{ name, url, branch: "main", credential, caCertificates: world.ca }],
      environment: { MINE: "1", path: "x", HOME: "x", SANDBOX_AUTH_TOKEN: "x", KUBERNETES_X: "kept" },
      agent: shell(script),
    });
    await ask(one, "look");
    const found = await readFile(join(one.processes.workspace, "env.txt"), "utf8");
    const variables = new Map(found.split("\n").map((line) => [line.split("=")[0], line.slice(line.indexOf("=") + 1)]));
    expect(Object.fromEntries(variables)).toMatchObject({
      MINE: "1",
      SANDBOX_ID: `${one.sandbox.sessionUid}-1`,
      REPO_NAME: "peek",
      PYTHONUNBUFFERED: "1",
      HOME: one.processes.home,
      PWD: join(one.processes.workspace, name),
    });
    for (const absent of ["path", "SANDBOX_AUTH_TOKEN", "SCM_APP_TOKEN", "REPO_OWNER", "RUNWRIGHT_TOKEN_FILE"]) {
      expect(variables.has(absent), absent).toBe(false);
    }
    expect(JSON.parse(variables.get("SESSION_CONFIG")!)).toMatchObject({
      session_id: one.sandbox.sessionUid,
      branch: "main",
    });
    const config = await readFile(join(one.processes.workspace, "config.txt"), "utf8");
    expect(found + config).not.toContain(credential.password);
    expect(found + config).not.toMatch(/eyJ[\w-]+\./);
  });

  it("has the secrets as they are in hooks and agent, and none of them in a log", async () => {
    const environment = JSON.parse(
      '{"__proto__":"planted-one","TOKEN":"planted $(HOME) `x` \\"y\\"\\nline","EMPTY":""}',
    ) as Record<string, string>;
    const keep = (name: string): string => `env -0 > ../${name}.env; env; env >&2`;
    const files = { ".runwright/setup.sh": keep("setup"), ".runwright/start.sh": keep("start") };
    const url = await git.addRepository("secrets", files);
    const repositories = [{ name: "secrets", url, branch: "main", credential, caCertificates: world.ca }];
    const one = await start({ repositories, environment, agent: shell(keep("agent")) });
    await ask(one, "look");
    for (const name of ["setup", "start", "agent"]) {
      const found = await readFile(join(one.processes.workspace, `${name}.env`), "utf8");
      const want = Object.entries(environment).map(([key, value]) => `${key}=${value}`);
      expect(found.split("\0"), name).toEqual(expect.arrayContaining(want));
    }
    expect(one.processes.output()).not.toContain("planted");
  });

  it("is at the socket nothing but the credential of the URL that is asked about", async () => {
    const url = await git.addRepository("asked", { "a.txt": "a" });
    const one = await start({
      repositories: [{ name: "asked", url, branch: "main", credential, caCertificates: world.ca }],
    });
    await one.sandbox.noted("ready-time");
    const socket = join(one.processes.home, "..", "socket", "runtime.sock");
    const say = async (line: string): Promise<string> => {
      const connection = connect(socket);
      connection.on("error", () => undefined);
      connection.write(`${line}\n`);
      return text(connection).catch(() => "");
    };
    const host = new URL(url).host;
    const asked = (path: string, at = host): string =>
      JSON.stringify({ type: "credential", protocol: "https", host: at, path });
    expect(JSON.parse(await say(asked("asked.git")))).toEqual(credential);
    expect(JSON.parse(await say(asked("other.git")))).toEqual({});
    expect(JSON.parse(await say(asked("asked.git", "example.com")))).toEqual({});
    const introduction = {
      type: "agent",
      workspace: "/w",
      home: "/h",
      program: ["/x"],
      credentialHelper: "x",
      systemCaFile: "",
    };
    expect(await say(JSON.stringify(introduction))).toBe("");
    expect(await say("nonsense")).toBe("");
    expect(await say("x".repeat(2_000_000))).toBe("");
    // No other process took the real agent's place.
    expect((await ask(one, "still there")).result).toEqual({ summary: "still there" });
  });

  it("is a git that works with what it is given, also later", async () => {
    const url = await git.addRepository("later", { "a.txt": "a" });
    const one = await start({
      repositories: [{ name: "later", url, branch: "main", credential, caCertificates: world.ca }],
      agent: shell(
        "git fetch --quiet && git commit --quiet --allow-empty -m x && git push --quiet origin HEAD:refs/heads/other",
      ),
    });
    const status = await ask(one, "x");
    const { stdout } = await promisify(execFile)("git", [
      "-C",
      join(one.processes.workspace, "later"),
      "rev-parse",
      "HEAD",
    ]);
    expect(status).toMatchObject({ result: { branch: "other", commit: stdout.trim() } });
  });
});

/** A process that has ended and that nothing has waited for yet, which depends on the machine's first process, is not. */
async function isAlive(pid: number): Promise<boolean> {
  const { stdout } = await promisify(execFile)("ps", ["-o", "stat=", "-p", String(pid)]).catch(() => ({ stdout: "" }));
  return /^[^Z\s]/.test(stdout);
}
