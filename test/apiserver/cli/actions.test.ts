import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { Run } from "../../../src/api/v1alpha1/index.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { grant } from "../api/users.ts";
import { conditionOf } from "../run/world.ts";
import { CliWorld } from "./world.ts";

let cli: CliWorld;
beforeEach(async () => {
  cli = await CliWorld.make();
});
afterEach(() => cli.close());

const whileActive = /Run \S+\/(\S+) ended as Skipped: ConcurrentRunActive: Run (\S+) of this Automation is active/;
const apiGroups = ["runwright.dev"];

async function runNames(): Promise<string[]> {
  return cli.world.names(Run);
}

describe("trigger", () => {
  beforeEach(() => cli.world.createAutomation("triage"));

  it("starts a Run and names it", async () => {
    await cli.world.startOperator();
    const { status, out } = await cli.call("trigger triage");
    expect(status).toBe(0);
    const [name] = await runNames();
    expect(out).toContain(`Run ${cli.namespace}/${name!} started`);
    expect((await cli.world.run(name!)).spec).toMatchObject({ trigger: { type: "Manual" } });
  });

  it("names both Runs when one is active, and fails", async () => {
    await cli.world.startOperator();
    const [, first] = /run\.runwright\.dev\/(\S+)/.exec((await cli.call("trigger triage -o name")).out)!;
    const { status, err } = await cli.call("trigger triage");
    expect(status).toBe(1);
    expect(err).toMatch(whileActive);
    const [, skipped, active] = whileActive.exec(err)!;
    expect(active).toBe(first);
    expect(conditionOf(await cli.world.run(skipped!))).toMatchObject({ reason: "Skipped" });
  });

  it("is refused while it is paused, unless asked to all the same, and does not resume it", async () => {
    await cli.world.startOperator();
    await cli.call("pause triage");
    expect(await cli.call("trigger triage")).toMatchObject({
      status: 1,
      err: expect.stringContaining("AutomationPaused") as unknown,
    });
    expect(await cli.call("trigger triage --while-paused")).toMatchObject({
      status: 0,
      out: expect.stringContaining("started") as unknown,
    });
    expect((await cli.world.automation("triage")).spec.suspend).toBe(true);
  });

  it.each([
    { succeeded: true, reason: "Completed", status: 0, said: "completed: The agent said Completed" },
    { succeeded: false, reason: "Failed", status: 1, said: "ended as Failed: The agent said Failed" },
  ])("--wait returns $status when the Run ended as $reason", async ({ succeeded, reason, status, said }) => {
    await cli.world.startOperator();
    const called = cli.call("trigger triage --wait");
    await cli.world.until("there is a Run", async () => (await runNames()).length === 1);
    const [name] = await runNames();
    await cli.world.untilPrompt(name!);
    await cli.world.settlePrompt(`${name!}-0-1`, succeeded, reason);
    const result = await called;
    expect(result.status).toBe(status);
    expect(result.out + result.err).toContain(said);
  });

  it("says that no controller has judged it, or that it has not ended in time", async () => {
    expect(await cli.call("trigger triage --wait --timeout 1s", { clock: systemClock })).toMatchObject({
      status: 1,
      err: expect.stringContaining("has not ended within 1s") as unknown,
    });
    expect(await runNames()).toHaveLength(1);
  });

  it.each([
    ["trigger triage --timeout 1s", "--timeout needs --wait"],
    ["trigger triage --wait --timeout soon", '--timeout is "soon"'],
    ["trigger triage --wait --timeout 0s", '--timeout is "0s"'],
    ["trigger Triage", "is not NAMESPACE/NAME"],
  ])("%s is refused before anything starts", async (line, want) => {
    expect(await cli.call(line)).toMatchObject({ status: 2, err: expect.stringContaining(want) as unknown });
    expect(await runNames()).toEqual([]);
  });

  it("needs the person's own right to create Runs", async () => {
    await grant(cli.namespace, "reader", [{ apiGroups, resources: ["automations", "runs"], verbs: ["get"] }]);
    const { status, err } = await cli.callWith(await cli.kubeconfigOf("reader"), "trigger triage");
    expect(status).toBe(1);
    expect(err).toContain('"reader" cannot create resource "runs"');
    expect(await runNames()).toEqual([]);
  });
});

describe("pause and resume", () => {
  beforeEach(() => cli.world.createAutomation("triage"));

  it("sets and takes back the person's own field", async () => {
    expect(await cli.call("pause triage")).toMatchObject({
      status: 0,
      out: `Automation ${cli.namespace}/triage is paused\n`,
    });
    expect((await cli.world.automation("triage")).spec.suspend).toBe(true);
    expect((await cli.call("pause triage")).out).toContain("was paused already");
    expect((await cli.call("resume triage")).out).toContain("is resumed; it was paused (Suspended)");
    expect((await cli.world.automation("triage")).spec.suspend).toBe(false);
    expect((await cli.call("resume triage")).out).toContain("was not paused");
  });

  it("lifts a pause by failures without touching the spec", async () => {
    await cli.pauseByFailures("triage", new Date());
    const { generation } = (await cli.world.automation("triage")).metadata;
    await cli.call("resume triage --dry-run");
    expect((await cli.world.automation("triage")).metadata.annotations).toBeUndefined();
    expect((await cli.call("resume triage")).out).toContain("it was paused (TooManyFailures)");
    await cli.world.startOperator();
    await cli.world.until("it is resumed", async () => {
      return conditionOf(await cli.world.automation("triage"), "Paused")?.status === "False";
    });
    expect((await cli.world.automation("triage")).metadata.generation).toBe(generation);
  });

  it("needs the right to act through its ServiceAccount to change the spec, and says which", async () => {
    await grant(cli.namespace, "writer", [{ apiGroups, resources: ["automations"], verbs: ["get", "patch"] }]);
    const { status, err } = await cli.callWith(await cli.kubeconfigOf("writer"), "pause triage");
    expect(status).toBe(1);
    expect(err).toContain(`writer must be allowed to impersonate ServiceAccount ${cli.namespace}/runner`);
    expect((await cli.world.automation("triage")).spec.suspend).toBe(false);
  });

  it.each(["pause", "resume", "trigger"])("%s names an Automation that is not there", async (command) => {
    expect(await cli.call(`${command} nothing`)).toMatchObject({
      status: 1,
      err: expect.stringContaining(`there is no Automation ${cli.namespace}/nothing`) as unknown,
    });
  });
});

describe("resume --paused-since", () => {
  const minutesAgo = (minutes: number): Date => new Date(Date.now() - minutes * 60_000);

  beforeEach(async () => {
    for (const name of ["lately", "also-lately", "long-ago", "by-hand", "at-work"])
      await cli.world.createAutomation(name);
    await cli.pauseByFailures("lately", minutesAgo(5));
    await cli.pauseByFailures("also-lately", minutesAgo(55));
    await cli.pauseByFailures("long-ago", minutesAgo(65));
    await cli.call("pause by-hand");
  });

  async function resumed(): Promise<string[]> {
    const names = ["also-lately", "at-work", "by-hand", "lately", "long-ago"];
    const found = await Promise.all(names.map((name) => cli.world.automation(name)));
    return found.filter(({ metadata }) => metadata.annotations !== undefined).map(({ metadata }) => metadata.name!);
  }

  it("resumes what failures paused within that time, and nothing else", async () => {
    const { status, out } = await cli.call("resume --paused-since 1h --yes");
    expect(status).toBe(0);
    expect(out.trim().split("\n").sort()).toEqual([
      `Automation ${cli.namespace}/also-lately is resumed`,
      `Automation ${cli.namespace}/lately is resumed`,
    ]);
    expect(await resumed()).toEqual(["also-lately", "lately"]);
    expect((await cli.world.automation("by-hand")).spec.suspend).toBe(true);
  });

  it("--dry-run says which and changes nothing", async () => {
    const { out } = await cli.call("resume --paused-since 10m --dry-run");
    expect(out).toMatch(/^Would resume:\nNAMESPACE +NAME +PAUSED/);
    expect(out).toContain(" lately ");
    expect(out).not.toContain("also-lately");
    expect(await resumed()).toEqual([]);
  });

  it.each([
    { answer: true, want: ["also-lately", "lately"], status: 0 },
    { answer: false, want: [], status: 1 },
  ])("asks first and takes $answer for an answer", async ({ answer, want, status }) => {
    const asked: string[] = [];
    const confirm = (question: string): Promise<boolean> => {
      asked.push(question);
      return Promise.resolve(answer);
    };
    expect((await cli.call("resume --paused-since 1h", { confirm })).status).toBe(status);
    expect(asked).toEqual(["Resume 2?"]);
    expect(await resumed()).toEqual(want);
  });

  it("changes nothing where there is no terminal to ask at", async () => {
    expect(await cli.call("resume --paused-since 1h")).toMatchObject({
      status: 1,
      err: expect.stringContaining("--yes") as unknown,
    });
    expect(await resumed()).toEqual([]);
  });

  it("says which it could not resume, goes on, and fails", async () => {
    const mine = { apiGroups, resources: ["automations"], verbs: ["patch"], resourceNames: ["lately"] };
    await grant(cli.namespace, "half", [{ apiGroups, resources: ["automations"], verbs: ["list"] }, mine]);
    const { status, out, err } = await cli.callWith(await cli.kubeconfigOf("half"), "resume --paused-since 1h -y");
    expect(status).toBe(1);
    expect(out).toBe(`Automation ${cli.namespace}/lately is resumed\n`);
    expect(err).toMatch(/also-lately: .*cannot patch[^]*1 of 2 could not be resumed/);
  });

  it.each([
    ["resume", "resume needs AUTOMATION"],
    ["resume x --paused-since 1h", "not both"],
    ["resume --paused-since 1", '--paused-since is "1"'],
  ])("%s is refused", async (line, want) => {
    expect(await cli.call(line)).toMatchObject({ status: 2, err: expect.stringContaining(want) as unknown });
  });
});
