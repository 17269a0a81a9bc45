import { request } from "undici";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { FollowedRun } from "./support/follow.ts";
import { examineBranch } from "./support/git-evidence.ts";
import { release } from "./support/install.ts";
import { pageArguments, pathOfAutomation } from "./support/page.ts";
import { samplePayload } from "./support/payload.ts";
import { servePlugin } from "./support/plugin.ts";
import { stages, succeeded } from "./support/stages.ts";
import { accountOfPage } from "./support/tenant-objects.ts";
import { apply } from "./support/workbench.ts";
import { run } from "../../hack/lib/command.ts";
import { ensureHelm } from "../../hack/toolchain/helm.ts";
import { makeTenant, openStage, type Stage, type Tenant } from "./support/tenant.ts";

let stage: Stage;
let tenant: Tenant;

beforeAll(async () => {
  stage = await openStage("journey");
  tenant = await makeTenant(stage);
});

afterAll(async () => {
  await tenant.close();
  await stage.close();
});

describe("one delivery", () => {
  let followed: FollowedRun;
  let sample: Awaited<ReturnType<typeof samplePayload>>;

  beforeAll(async () => {
    sample = await samplePayload({ keyed: true });
    followed = await tenant.watcher.follow(await tenant.start("first delivery", sample.body));
  });

  it("ends as a Run that succeeded, with branch and commit", () => {
    expect(succeeded(followed.run)).toMatchObject({ status: "True", reason: "Completed" });
    expect(followed.run.status?.result).toMatchObject({
      branch: `runwright/fix-${sample.incident}`,
      commit: expect.stringMatching(/^[0-9a-f]{40}$/) as unknown,
    });
  });

  it("is seen at every stage, in order", () => {
    // The Run is stored before the answer is sent, so a watch may see it first.
    const [accepted, ...seen] = stages.map((name) => followed.stagesMs[name] ?? NaN);
    expect([accepted, ...seen]).not.toContain(NaN);
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
  });

  it("left a commit on the git server that names the incident and fixes the test", async () => {
    const { branch = "", commit } = followed.run.status?.result ?? {};
    const evidence = await examineBranch(stage.bench, stage.git, branch);
    expect(evidence).toMatchObject({ commit, testsPass: true });
    expect(evidence.message).toContain(sample.incident);
    expect(await examineBranch(stage.bench, stage.git, "main")).toMatchObject({ testsPass: false });
  });

  it("is in the page that kubectl runwright ui opens", async () => {
    const { namespace, automation } = tenant;
    await apply(stage.bench, accountOfPage(namespace));
    const plugin = await servePlugin(stage.bench, pageArguments(namespace, 0));
    try {
      const { headers } = await request(plugin.address);
      const cookie = String(headers["set-cookie"]).split(";")[0] ?? "";
      const look = (path: string) => request(new URL(path, plugin.address), { headers: { cookie } });
      expect((await look(pathOfAutomation(automation))).headers["content-type"]).toContain("text/html");
      const history = await look(`/api/automations/${automation}/invocations`);
      const { name: id } = followed.run.metadata;
      expect(await history.body.json()).toMatchObject({ invocations: [{ id, status: "completed" }] });
    } finally {
      await plugin.close();
    }
  });

  it("starts nothing when it is repeated", async () => {
    const before = await tenant.runNames();
    const answer = await tenant.send("repeated", { body: sample.body });
    expect(answer).toMatchObject({ status: 200, body: { ok: true, triggered: 0, skipped: 1, steered: 0 } });
    expect(await tenant.runNames()).toEqual(before);
  });
});

describe("a delivery that starts nothing", () => {
  it.each([
    {
      name: "filters do not match",
      sample: { severity: "warning" },
      status: 200,
      body: { ok: true, triggered: 0, skipped: 0, steered: 0 },
    },
    { name: "a wrong key", sample: {}, key: "x".repeat(43), status: 401, body: {} },
  ])("$name", async ({ name, sample, key, status, body }) => {
    const before = await tenant.runNames();
    const delivery = { body: (await samplePayload(sample)).body, ...(key === undefined ? {} : { key }) };
    expect(await tenant.send(name, delivery)).toMatchObject({ status, body });
    expect(await tenant.runNames()).toEqual(before);
  });
});

it("passes the chart's own test", async () => {
  const helm = await ensureHelm(() => undefined);
  const where = ["--namespace", release.namespace, "--timeout", "2m", ...stage.bench.helmArgs];
  expect(await run(helm, ["test", release.name, ...where])).toMatch(/Phase:\s+Succeeded/);
});
