import { mkdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import type { BundleSkills } from "../../../src/api/runtime/skill-set.ts";
import { PromptStatus } from "../../../src/api/v1alpha1/index.ts";
import { makeSkillSecrets } from "../../../src/controllers/sandbox/skills/pieces.ts";
import { revisionOf } from "../../../src/domain/skills/revision.ts";
import { encodeSet } from "../../../src/domain/skills/skill-set.ts";
import { testApi } from "../../support/cluster.ts";
import { create, makeSandbox } from "../../support/runtime-world.ts";
import {
  ask,
  openSandboxWorkWorld,
  type SandboxWorkWorld,
  shell,
  type StartedSandbox,
} from "../../support/sandbox-work-world.ts";

// Each starts two processes, which on a busy machine takes its time.
vi.setConfig({ testTimeout: 600_000 });

let work: SandboxWorkWorld;
beforeAll(async () => {
  work = await openSandboxWorkWorld({ username: "robot", password: "planted-password" });
});
afterAll(() => work.close());

const run = { path: "scripts/run.sh", content: "#!/bin/sh\necho ran\n", executable: true };
/** Of a ConfigMap's `binaryData`. */
const picture = { path: "logo.png", content: "iVD/", encoding: "base64" as const, executable: false };

/** Skills of which the first has this body, stored as the controller does; the names of the Secrets. */
async function stored(body: string): Promise<{ skills: BundleSkills; secrets: string[] }> {
  const large = { path: "references/large.md", content: "é".repeat(131_072), executable: false };
  const revisions = ["review", "plan", "test", "tidy"].map((name, index) =>
    revisionOf(name, {
      description: "d",
      body: index === 0 ? body : "",
      files: index === 0 ? [run, picture] : [large],
    }),
  );
  const set = encodeSet(revisions.map(({ skill }) => skill));
  const release = { name: "runwright", namespace: "system" };
  const { sessionsNamespace } = work.world.release;
  const made = makeSkillSecrets(set, { sessionsNamespace, release, namespace: "team" });
  for (const secret of made) await create(`/api/v1/namespaces/${sessionsNamespace}/secrets`, secret);
  const secrets = made.map(({ metadata }) => metadata.name ?? "");
  return { skills: { digest: set.digest, pieces: secrets.length }, secrets };
}

async function launched(skills: BundleSkills, command: string): Promise<StartedSandbox> {
  const sandbox = await makeSandbox(work.world, { bundle: { skills, agent: shell(command) } });
  await sandbox.status({ skills: { ...skills, names: ["plan", "review", "test", "tidy"], bytes: 1 } });
  return { sandbox, processes: await work.start(sandbox) };
}

const saidBy = async (one: StartedSandbox): Promise<string | undefined> =>
  PromptStatus.parse(await ask(one)).result?.summary;

it("an agent finds the session's skills, of several pieces, in both folders and can run their programs", async () => {
  const { skills, secrets } = await stored("the nonce 5f1c");
  expect(secrets).toHaveLength(2);
  const read =
    'cat "$HOME/.claude/skills/review/SKILL.md"; "$HOME/.agents/skills/review/scripts/run.sh"; od -An -tx1 "$HOME/.agents/skills/review/logo.png"; ls "$HOME/.agents/skills"';
  const one = await launched(skills, `cat >/dev/null; ${read}`);
  const said = await saidBy(one);
  expect(said).toContain('name: "review"');
  expect(said).toContain("the nonce 5f1c");
  expect(said).toContain("ran\n 89 50 ff\nplan\nreview\ntest\ntidy");
  const written = await stat(join(one.processes.home, ".claude/skills/review/SKILL.md"));
  expect(written.mode & 0o777).toBe(0o444);
});

it("a sandbox without skills has none, and no folder for them", async () => {
  const one = await work.launch({ bundle: { agent: shell('cat >/dev/null; ls -A "$HOME"') } });
  expect(await saidBy(one)).not.toMatch(/claude|agents/);
});

it("names the skills that give way to a skill of the agent's home", async () => {
  const { skills } = await stored("given way");
  const sandbox = await makeSandbox(work.world, {
    bundle: { skills, agent: shell('cat >/dev/null; cat "$HOME/.claude/skills/review/SKILL.md"') },
  });
  await sandbox.status({ skills: { ...skills, names: ["review"], bytes: 1 } });
  const folder = join(work.world.directory, `${sandbox.session}-1`, "home/.claude/skills/review");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "SKILL.md"), "the agent's own");
  const one = { sandbox, processes: await work.start(sandbox) };
  expect(await saidBy(one)).toContain("the agent's own");
});

it.each([
  {
    name: "that was changed",
    tamper: async (secret: string) => {
      const path = `/api/v1/namespaces/${work.world.release.sessionsNamespace}/secrets/${secret}`;
      await testApi().send("DELETE", path);
      await create(path.slice(0, path.lastIndexOf("/")), {
        metadata: { name: secret },
        data: { "skills.json": "e30=" },
      });
    },
    want: "the skills are not those that the session was created with",
  },
  {
    name: "that is gone",
    tamper: async (secret: string) => {
      await testApi().send("DELETE", `/api/v1/namespaces/${work.world.release.sessionsNamespace}/secrets/${secret}`);
    },
    want: "the skills could not be fetched from the gateway: it answered 404",
  },
])("a sandbox does not start with a piece $name", async ({ name, tamper, want }) => {
  const { skills, secrets } = await stored(name);
  await tamper(secrets[1] ?? "");
  const one = await launched(skills, "cat");
  const failure = JSON.parse(await one.sandbox.noted("boot-failure")) as object;
  expect(failure).toEqual({ phase: "skills", reason: "SkillsNotInstalled", message: want });
});

it("a sandbox gets no skills but those of its session's status", async () => {
  const { skills } = await stored("another session's");
  const sandbox = await makeSandbox(work.world, { bundle: { skills, agent: shell("cat") } });
  await work.start(sandbox);
  const failure = JSON.parse(await sandbox.noted("boot-failure")) as { message: string };
  expect(failure.message).toContain("it answered 404");
});
