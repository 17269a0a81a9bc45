import { createHash } from "node:crypto";

import { testApi } from "../support/cluster.ts";
import { RuntimePeer } from "../support/runtime-peer.ts";
import { create, makeSandbox, type SandboxFixture } from "../support/runtime-world.ts";
import { aPullRequestRow, aSessionRow } from "../support/archive-rows.ts";
import type { WebWorld } from "./world.ts";

/** A tenant with something of everything that the page shows. */
export interface Shop {
  /** Ids of automations. */
  webhook: string;
  schedule: string;
  /** Id of a session at work. */
  session: string;
  sandbox: SandboxFixture;
  peer: RuntimePeer;
}

const minute = 60_000;
const group = "/apis/runwright.dev/v1alpha1/namespaces";

export async function seedShop(world: WebWorld): Promise<Shop> {
  const { people } = world;
  const { tenant } = people.world;
  const webhook = await people.makeAutomation({
    name: "triage-alerts",
    spec: {
      displayName: "Triage production alerts",
      instructions:
        "Find the cause of the alert in this repository, fix it, run the tests,\nand push a branch with the change.",
      targets: [{ repositoryRef: { name: "checkout" } }],
      trigger: {
        type: "Webhook",
        webhook: {
          filters: [
            { path: "$.status", operator: "eq", value: "firing" },
            { path: "$.commonLabels.severity", operator: "eq", value: "critical" },
            { path: "$.count", operator: "gte", value: 3 },
          ],
        },
      },
    },
  });
  const schedule = await people.makeAutomation({
    name: "nightly-upgrades",
    spec: {
      displayName: "Nightly upgrades",
      suspend: true,
      trigger: { type: "Schedule", schedule: { cron: "30 3 * * MON-FRI", timeZone: "Europe/Paris" } },
    },
  });
  const sandbox = await seedSession(world);
  await seedRuns(world, webhook, sandbox);
  await seedDeliveries(world, webhook.name);
  const peer = await seedEvents(world, sandbox);
  await seedArchive(world);
  return { webhook: webhook.id, schedule: schedule.id, session: `${tenant}.${sandbox.session}`, sandbox, peer };
}

async function seedSession({ people }: WebWorld): Promise<SandboxFixture> {
  const sandbox = await makeSandbox(people.world);
  const tunnels = [{ port: 3000, url: "https://gateway.example.com/sessions/x/tunnels/3000" }];
  await sandbox.record();
  await sandbox.status({ costUsd: "0.42", promptsEnded: 1 });
  const { status } = (await testApi().send("GET", `${group}/${people.world.tenant}/sessions/${sandbox.session}`)) as {
    status: number;
  };
  if (status !== 200) throw new Error("no session");
  await sandbox.status({ sandbox: { tunnels } });
  return sandbox;
}

async function seedRuns(
  { people }: WebWorld,
  automation: { name: string; uid: string },
  sandbox: SandboxFixture,
): Promise<void> {
  const { tenant } = people.world;
  const ends = [
    ["Completed", "True", "The agent finished", "Fixed the rounding of totals and added a test"],
    ["ExecutionTimeout", "False", "The prompt took longer than 45 minutes", null],
    ["Skipped", "False", "Another run of the automation is active", null],
    ["Running", "Unknown", "The agent works", null],
  ] as const;
  for (const [index, [reason, status, message, summary]] of ends.entries()) {
    const name = `${automation.name}-${index}`;
    const startTime = new Date(Date.now() - (60 - index * 12) * minute).toISOString();
    const completionTime = new Date(Date.parse(startTime) + 7 * minute + 12_000).toISOString();
    await create(`${group}/${tenant}/runs`, {
      apiVersion: "runwright.dev/v1alpha1",
      kind: "Run",
      metadata: { name, labels: { "runwright.dev/automation-uid": automation.uid } },
      spec: {
        automationRef: { name: automation.name, uid: automation.uid },
        trigger: { type: "Webhook", time: startTime, payload: "{}" },
      },
    });
    await testApi().send("PATCH", `${group}/${tenant}/runs/${name}/status`, {
      status: {
        conditions: [{ type: "Succeeded", status, reason, message, lastTransitionTime: completionTime }],
        startTime: reason === "Skipped" ? undefined : startTime,
        completionTime: reason === "Running" ? undefined : completionTime,
        ...(reason !== "Skipped" && {
          sessions: [{ name: sandbox.session, target: "Repository/checkout", reason }],
        }),
        ...(summary !== null && { result: { summary, branch: "runwright/fix-rounding", commit: sha("x") } }),
      },
    });
  }
}

function sha(text: string): string {
  return createHash("sha1").update(text).digest("hex");
}

async function seedDeliveries({ people }: WebWorld, name: string): Promise<void> {
  const at = (minutes: number): string => new Date(Date.now() - minutes * minute).toISOString();
  const body = '{"status":"firing","commonLabels":{"severity":"warning"},"count":7}';
  const mismatch = 'filters[1]: $.commonLabels.severity is "warning", but must be "critical"';
  await create(`${group}/${people.world.tenant}/deliverylogs`, {
    apiVersion: "runwright.dev/v1alpha1",
    kind: "DeliveryLog",
    metadata: { name },
    spec: {
      deliveries: [
        {
          id: "d4",
          time: at(3),
          decision: "Started",
          message: "A Run was started",
          httpStatus: 200,
          runName: `${name}-3`,
          bodyBytes: 812,
        },
        {
          id: "d3",
          time: at(9),
          decision: "Filtered",
          message: mismatch,
          httpStatus: 200,
          bodyBytes: body.length,
          body,
        },
        {
          id: "d2",
          time: at(12),
          decision: "Duplicate",
          message: `Run ${name}-0 has this idempotency key`,
          httpStatus: 200,
          runName: `${name}-0`,
          bodyBytes: 812,
        },
        {
          id: "d1",
          time: at(14),
          decision: "RateLimited",
          message: "More than 5 new Runs per second",
          httpStatus: 429,
          bodyBytes: 640,
        },
      ],
      refusals: [{ reason: "WrongKey", count: 3, lastTime: at(50) }],
    },
  });
}

async function seedEvents({ people }: WebWorld, sandbox: SandboxFixture): Promise<RuntimePeer> {
  const peer = await RuntimePeer.connect(people.world, people.gateway, sandbox);
  peer.send({ type: "hello", protocol: 1, needsBundle: false, openPrompts: [] });
  await peer.next("welcome");
  const promptUid = "00000000-0000-4000-8000-000000000001";
  const events = [
    { kind: "bootProgress", phase: "clone", repository: "checkout" },
    {
      kind: "output",
      source: "clone",
      repository: "checkout",
      stream: "stderr",
      text: "Cloning into '/workspace/checkout'...\n",
    },
    { kind: "bootProgress", phase: "agent" },
    { kind: "promptStarted", promptUid },
    { kind: "output", source: "agent", promptUid, stream: "stdout", text: "I look at how totals are rounded.\n" },
    { kind: "tool", promptUid, tool: "t1", title: "Read src/totals.ts", state: "completed" },
    { kind: "tool", promptUid, tool: "t2", title: "Run npm test", state: "in_progress" },
    {
      kind: "output",
      source: "agent",
      promptUid,
      stream: "stdout",
      text: "Two tests fail: the sum of 0.1 and 0.2 is compared exactly.\nI round to cents before comparing.\n",
    },
    { kind: "warning", scope: "setup", repository: "checkout", message: "setup.sh took longer than a minute" },
  ];
  for (const [index, event] of events.entries()) peer.send({ type: "event", seq: index + 1, event });
  return peer;
}

async function seedArchive({ database, people }: WebWorld): Promise<void> {
  const { tenant } = people.world;
  const outcomes = ["completed", "completed", "completed", "failed", "cancelled", null] as const;
  const rows = Array.from({ length: 48 }, (_, index) => {
    const outcome = outcomes[index % outcomes.length] ?? null;
    return aSessionRow(`seed-${index}`, {
      namespace: tenant,
      source: index % 3 === 0 ? "person" : "automation",
      requested_by: `person-${index % 4}`,
      outcome,
      state: outcome === null ? "active" : "idle",
      messages: 1 + (index % 3),
      cost_micro: 125_000 * (index % 7),
      repository: ["checkout", "billing", null][index % 3] ?? null,
      // What is older than the namespace does not count, and it may have been made just now.
      created_ms: Date.now(),
    });
  });
  await database.insertInto("sessions").values(rows).execute();
  const states = ["merged", "merged", "open", "closed", "draft"] as const;
  const pullRequests = Array.from({ length: 20 }, (_, index) => {
    const state = states[index % states.length] ?? "open";
    return aPullRequestRow(`seed-${index}`, {
      namespace: tenant,
      source: index % 4 === 0 ? "person" : "automation",
      repository: index % 3 === 0 ? "storefront" : "checkout",
      number: 100 + index,
      state,
      cost_micro: 150_000 * (index % 5),
      created_ms: Date.now() - 60,
      merged_ms: state === "merged" ? Date.now() - index : null,
      // The writer marks what has no object.
    });
  });
  await database.insertInto("pull_requests").values(pullRequests).execute();
}
