import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { afterAll, beforeAll, expect, it } from "vitest";

import { progressOnStderr } from "../../hack/lib/progress.ts";
import { ensureSchemathesis } from "../../hack/toolchain/schemathesis.ts";
import { operations } from "../../src/gateway/api/openapi.ts";
import { attachFile } from "../support/attached-file.ts";
import { type EmbeddedArchive, openEmbeddedArchive } from "../support/embedded-archive.ts";
import {
  type DecidingControllers,
  type DecidingSessions,
  startDecidingControllers,
  startDecidingSessions,
} from "../support/deciding-controllers.ts";
import { impersonate, openPeopleWorld, ours, type PeopleWorld } from "../support/people-world.ts";

let archive: EmbeddedArchive;
let people: PeopleWorld;
let controllers: DecidingControllers;
let sessions: DecidingSessions;
let token: string;
let webhook: string;
let errorTracker: string;
/** Name of a file that an agent attached. */
let file: string;

beforeAll(async () => {
  // No controller decides about prompts of the sessions that invocations have here; a request may take 10 s.
  archive = await openEmbeddedArchive();
  const { database } = archive;
  people = await openPeopleWorld({ answerMs: 60_000, decisionMs: 2_000 }, { database, retentionDays: 400 });
  controllers = await startDecidingControllers();
  sessions = await startDecidingSessions();
  const content = Buffer.from("GIF89a chart");
  file = await attachFile(people.world.blobDirectory, { ...sessions, content, fileName: "chart.gif", leftOut: 1 });
  const { namespace } = controllers;
  ({ id: webhook } = await people.makeAutomation({ namespace }));
  await people.makeAutomation({ namespace, spec: { trigger: { type: "Manual" }, suspend: true } });
  const trigger = { type: "ErrorTracker", errorTracker: { events: ["IssueCreated"] } };
  ({ id: errorTracker } = await people.makeAutomation({ namespace, spec: { trigger } }));
  const rights = [
    ours("deliverylogs", "get"),
    ours("automations", "get", "list", "patch"),
    ours("runs", "list", "create"),
  ];
  rights.push(ours("sessions", "get", "list"), ours("prompts", "get", "list", "create", "patch"));
  rights.push(ours("pullrequests", "list"));
  token = await people.caller([...rights, ours("automations/key", "create"), impersonate], "everywhere");
});

afterAll(async () => {
  await controllers.close();
  await sessions.close();
  await people.close();
  await archive.close();
});

it("answers as its document says, whatever is sent", async () => {
  const seed = process.env.RUNWRIGHT_SEED ?? String(randomInt(2 ** 31));
  console.log(`seed ${seed}; RUNWRIGHT_SEED=${seed} npm test -- contract sends the same again`);
  const { status, output } = await runSchemathesis(seed);
  expect(status, output).toBe(0);
  expect(await neverSucceeded()).toEqual([]);
});

async function runSchemathesis(seed: string): Promise<{ status: number | null; output: string }> {
  const { command, args, env } = await ensureSchemathesis(progressOnStderr("contract"));
  const ca = join(people.world.directory, "ca.pem");
  await writeFile(ca, people.world.ca);
  const options = [
    "--checks=all",
    "--max-examples=10",
    `--seed=${seed}`,
    "--workers=1",
    `--tls-verify=${ca}`,
    `--header=Authorization: Bearer ${token}`,
    "--generation-database=none",
    "--no-color",
    "--continue-on-failure",
  ];
  const config = join(import.meta.dirname, "schemathesis.toml");
  const child = spawn(
    command,
    [...args, `--config-file=${config}`, "run", `${people.gateway.peopleUrl}/openapi.json`, ...options],
    {
      // No other file of the checkout or of the machine's user sets anything.
      cwd: people.world.directory,
      env: { ...process.env, ...env, ...known(), COLUMNS: "160" },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => (output += chunk.toString("utf8")));
  }
  const status = await new Promise<number | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  return { status, output };
}

/** What requests are to find, for `schemathesis.toml`. */
function known(): Record<string, string> {
  return {
    RUNWRIGHT_AUTOMATION: webhook,
    RUNWRIGHT_ERROR_TRACKER: errorTracker,
    RUNWRIGHT_SESSION: `${sessions.namespace}.${sessions.session}`,
    RUNWRIGHT_PROMPT: sessions.prompt,
    RUNWRIGHT_FILE: file,
  };
}

/** Operations that were only ever refused: nothing would be known of what they answer. */
async function neverSucceeded(): Promise<string[]> {
  const metric = people.gateway.registry.getSingleMetric("runwright_gateway_people_requests_total");
  const { values } = (await metric?.get()) ?? { values: [] };
  const succeeded = new Set(
    values.filter(({ labels }) => String(labels.status).startsWith("2")).map(({ labels }) => labels.route),
  );
  return Object.values(operations)
    .map(({ path }) => path.replaceAll(/\{(\w+)\}/g, ":$1"))
    .filter((route) => !succeeded.has(route));
}
