import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";

import { Prompt, Repository, Session } from "../../../src/api/v1alpha1/index.ts";
import { type Clock, systemClock } from "../../../src/lib/clock.ts";
import { type CliResult, runPlugin } from "../../support/cli.ts";
import { testCluster } from "../../support/cluster.ts";
import { MovableClock } from "../../support/movable-clock.ts";
import { conditionOf, World } from "../session/world.ts";

let world: World;
let session: Session;
beforeEach(async () => {
  world = await World.make(testCluster().kubeconfig);
  session = await world.createSession("fix");
});
afterEach(() => world.close());

/** The plugin waits for the controller as long as it takes, however slow the machine is. */
const patient: Clock = { ...systemClock, monotonicMs: () => 0 };

/** Calls the plugin with admin's rights in the world's namespace while the controllers' time goes on. */
async function call(...argv: string[]): Promise<CliResult> {
  let result: CliResult | undefined;
  const options = ["-n", world.namespace, "--kubeconfig", testCluster().kubeconfig];
  const called = runPlugin([...argv, ...options], { clock: patient }).then((came) => (result = came));
  await world.until(`${argv.join(" ")} has returned`, () => result !== undefined);
  return called;
}

async function promptsNow(): Promise<Prompt[]> {
  return (await world.client.list<Prompt>(Prompt, { namespace: world.namespace })).items;
}

async function isProcessed(name: string): Promise<void> {
  await world.untilSession("fix", `${name} dispatched`, ({ currentPrompt }) => currentPrompt?.name === name);
}

describe("prompt", () => {
  it("stores the text and says where it is in line", async () => {
    await world.startOperator();
    await world.createPrompt(session, 1);
    await world.untilSession("fix", "a queue", ({ queue }) => queue?.length === 1);
    const { status, out } = await call("prompt", "fix", "Now run\nthe tests.");
    const asked = (await promptsNow()).find(({ metadata }) => metadata.name !== "fix-1")!;
    expect(status).toBe(0);
    expect(out).toBe(`Prompt ${world.namespace}/${asked.metadata.name!} waits; 1 before it\n`);
    expect(asked.spec).toEqual({ sessionRef: { name: "fix" }, text: "Now run\nthe tests." });
    expect(asked.metadata.ownerReferences?.[0]?.uid).toBe(session.metadata.uid);
  });

  it("fails with the message of a full queue", async () => {
    await world.startOperator();
    await Promise.all(Array.from({ length: 50 }, (_, index) => world.createPrompt(session, index)));
    await world.untilSession("fix", "a full queue", ({ queue }) => queue?.length === 50);
    const { status, err } = await call("prompt", "fix", "One more.");
    expect(status).toBe(1);
    expect(err).toContain("ended as QueueFull: A session may have at most 50 unfinished prompts");
  });

  it.each([
    { succeeded: true, reason: "Completed", status: 0, said: "completed\nBranch: fix/it\nAll done." },
    { succeeded: false, reason: "Failed", status: 1, said: "ended as Failed: The agent said Failed" },
  ])("--follow says each step and returns $status at the end", async ({ succeeded, reason, status, said }) => {
    await world.startOperator();
    const called = call("prompt", "fix", "Go.", "--follow");
    await world.bringUp(session);
    const { status: seen } = await world.untilSession("fix", "dispatched", (now) => now.currentPrompt !== undefined);
    const { name } = seen!.currentPrompt!;
    await world.settlePrompt(name, succeeded, reason, { summary: "All done.", branch: "fix/it" });
    const result = await called;
    expect(result.status).toBe(status);
    expect(result.out + result.err).toContain(`Prompt ${world.namespace}/${name} ${said}`);
    expect(result.out).toContain("All done.");
  });

  it("says that no controller has taken it", async () => {
    const clock = new MovableClock();
    const argv = ["prompt", "fix", "Go.", "-n", world.namespace, "--kubeconfig", testCluster().kubeconfig];
    const called = runPlugin(argv, { clock });
    await world.until("it is stored", async () => (await promptsNow()).length === 1);
    clock.move(10_000);
    const { status, out } = await called;
    expect(status).toBe(0);
    expect(out).toContain("waits for the controller");
  });

  it.each([
    [["prompt", "fix"], "prompt needs either TEXT or -f FILE"],
    [["prompt", "fix", "Go.", "-f", "task.md"], "prompt needs either TEXT or -f FILE"],
    [["prompt", "fix", "Go.", "--timeout", "1s"], "--timeout needs --follow"],
    [["prompt", "Fix", "Go."], 'Session "Fix" is not NAMESPACE/NAME'],
  ])("%j is refused before anything is stored", async (argv, want) => {
    expect(await call(...argv)).toMatchObject({ status: 2, err: expect.stringContaining(want) as unknown });
    expect(await promptsNow()).toEqual([]);
  });

  it.each([
    ["no-such", "Go.", "there is no Session"],
    ["fix", "  ", "spec.text: Invalid value: must not be blank, unless there are images"],
    ["fix", "x".repeat(64_001), "spec.text: Invalid value: may not be more than 64000 characters"],
  ])("asks %s nothing where the API server refuses it", async (name, text, want) => {
    expect(await call("prompt", name, text)).toMatchObject({
      status: 1,
      err: expect.stringContaining(want) as unknown,
    });
    expect(await promptsNow()).toEqual([]);
  });
});

describe("cancel and stop", () => {
  beforeEach(async () => {
    await world.startOperator();
    for (const index of [1, 2]) await world.createPrompt(session, index);
    await world.bringUp(session);
    await isProcessed("fix-1");
  });

  it("cancels one that waits, and says so of one that had ended", async () => {
    const { status, out } = await call("cancel", "fix-2");
    expect(status).toBe(0);
    expect(out).toBe(`Prompt ${world.namespace}/fix-2 was cancelled before it began\n`);
    expect(await call("cancel", "fix-2")).toMatchObject({ status: 0 });
    await world.settlePrompt("fix-1", true, "Completed");
    expect(await call("cancel", "fix-1")).toMatchObject({
      status: 1,
      err: expect.stringContaining("fix-1 had ended already as Completed") as unknown,
    });
  });

  it("stops what is processed, and the next one goes on", async () => {
    const { status, out } = await call("stop", "fix");
    expect(status).toBe(0);
    expect(out).toContain("fix-1: Cancelled, cancelled while it was processed");
    await isProcessed("fix-2");
    expect(conditionOf(await world.prompt("fix-1"), "Succeeded")).toMatchObject({ reason: "Cancelled" });
  });

  it("cancels the queue with what is processed, and the session takes further prompts", async () => {
    const { status, out } = await call("session", "cancel", "fix");
    const of = `${world.namespace}/fix`;
    expect(status).toBe(0);
    expect(out.split("\n")).toEqual([
      `Prompt ${of}-2 was cancelled before it began`,
      `Prompt ${of}-1 was cancelled while it was processed`,
      `Session ${of} takes further prompts`,
      "",
    ]);
    expect((await call("session", "cancel", "fix")).out).toBe(`Session ${of} has no unfinished prompts\n`);
    expect((await call("prompt", "fix", "Go on.")).out).toContain("is next");
  });

  it("says that there is nothing to stop, or no such session or prompt", async () => {
    await world.createSession("idle");
    expect((await call("stop", "idle")).out).toContain("idle processes nothing");
    expect(await call("stop", "no-such")).toMatchObject({
      status: 1,
      err: expect.stringContaining("no Session") as unknown,
    });
    expect(await call("cancel", "no-such")).toMatchObject({
      status: 1,
      err: expect.stringContaining("no Prompt") as unknown,
    });
  });
});

describe("settings", () => {
  /** Rows of the table by setting: value and where it came from. */
  function rowsOf({ out }: CliResult): Record<string, string[]> {
    const [head, ...rows] = out.trim().split("\n");
    expect(head).toMatch(/^SETTING +VALUE +FROM$/);
    return Object.fromEntries(rows.map((row) => row.split(/ {2,}/)).map(([name = "", ...rest]) => [name, rest]));
  }

  it("shows what a Session got and where from, its own cost limit as it is now", async () => {
    world.operatorSettings = { tunnelPorts: [3000, 5173], maxSessionCostUsd: "5" };
    await world.startOperator();
    await world.createPrompt(session, 1);
    await world.bringUp(session);
    expect(rowsOf(await call("settings", "fix"))).toEqual({
      sandboxTimeoutMs: ["7200000", `SandboxClass/${world.namespace}`],
      finalSnapshotBufferMs: ["600000", "built in"],
      tunnelPorts: ["3000,5173", "Operator"],
      buildTimeoutSeconds: ["1800", "built in"],
      maxConcurrentChildSessions: ["5", "built in"],
      maxTotalChildSessions: ["15", "built in"],
      maxSessionCostUsd: ["5", "Operator"],
    });
    const key = { namespace: world.namespace, name: "fix" };
    await world.client.patch(Session, key, { spec: { settings: { maxSessionCostUsd: "" } } });
    const { settings } = JSON.parse((await call("settings", "fix", "--output", "json")).out) as { settings: object[] };
    expect(settings).toContainEqual({ name: "maxSessionCostUsd", value: "", origin: "Session" });
  });

  it("shows what a session on a Repository would get, and asks which of two is meant", async () => {
    const { client, namespace } = world;
    const metadata = { name: "fix", namespace };
    const spec = { url: "https://git.example.com/a.git", branch: "main" };
    const repository = await client.create(Repository, { metadata, spec });
    const unseen = await call("settings", "fix", "--repository");
    expect(unseen).toMatchObject({
      status: 1,
      err: expect.stringContaining("has not looked at this Repository") as string,
    });
    const settings = {
      finalSnapshotBufferMs: 300_000,
      tunnelPorts: [],
      maxConcurrentChildSessions: 1,
      maxTotalChildSessions: 2,
      buildTimeoutSeconds: 60,
      maxSessionCostUsd: "2.50",
    };
    const settingOrigins = [{ name: "maxSessionCostUsd", origin: "Repository/fix" }];
    await client.patchStatus(Repository, repository, { ...repository.status, settings, settingOrigins });
    expect(rowsOf(await call("settings", "fix", "--repository"))).toMatchObject({
      sandboxTimeoutMs: ["none", "built in"],
      tunnelPorts: ["none", "built in"],
      maxSessionCostUsd: ["2.50", "Repository/fix"],
    });
    expect(await call("settings", "fix")).toMatchObject({
      status: 2,
      err: expect.stringContaining("--session") as string,
    });
    expect(await call("settings", "nobody")).toMatchObject({ status: 1 });
  });
});

describe("session create", () => {
  it("stores a session that the flags describe", async () => {
    const line =
      "session create upgrade --repository a --repository b@fix/a@2 --run-as runner --idle-timeout 90m --class big";
    const { status, out } = await call(...line.split(" "), "--title", "Up we go");
    expect([status, out]).toEqual([
      0,
      `Session ${world.namespace}/upgrade was created\nSend it a prompt: kubectl runwright prompt ${world.namespace}/upgrade TEXT\n`,
    ]);
    const { spec } = await world.client.get<Session>(Session, { namespace: world.namespace, name: "upgrade" });
    expect(spec).toEqual({
      title: "Up we go",
      target: { repositoryRefs: [{ name: "a" }, { name: "b", branch: "fix/a@2" }] },
      sandboxClassName: "big",
      serviceAccountName: "runner",
      idleTimeoutSeconds: 5_400,
    });
    expect((await call("session", "create", "upgrade")).err).toContain("already exists");
  });

  it.each(["client", "server"])("stores nothing with --dry-run=%s, and prints what can be applied", async (where) => {
    const line = `session create upgrade --environment shop --dry-run=${where} -o yaml`;
    const { status, out } = await call(...line.split(" "));
    expect(status).toBe(0);
    expect(parse(out)).toMatchObject({
      apiVersion: "runwright.dev/v1alpha1",
      kind: "Session",
      metadata: { name: "upgrade", namespace: world.namespace },
      spec: { target: { environmentRef: { name: "shop" } } },
    });
    expect(out.includes("idleTimeoutSeconds")).toBe(where === "server");
    expect(await world.client.find(Session, { namespace: world.namespace, name: "upgrade" })).toBeUndefined();
  });

  it.each([
    [["--title", "x".repeat(201)], "spec.title"],
    [["--idle-timeout", "25h"], "spec.idleTimeoutSeconds"],
    [["--repository", "Big Shop"], "spec.target.repositoryRefs[0].name"],
    [["--repository", "shop@"], "spec.target.repositoryRefs[0].branch"],
    [["--dry-run", "none"], "client or server"],
  ])("refuses %j before anything is stored", async (flags, want) => {
    expect(await call("session", "create", "upgrade", ...flags)).toMatchObject({
      status: 2,
      err: expect.stringContaining(want) as unknown,
    });
  });
});
