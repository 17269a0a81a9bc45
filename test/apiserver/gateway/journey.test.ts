import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import { afterAll, beforeAll, expect, it } from "vitest";

import type { SandboxProcesses } from "../../support/runtime-processes.ts";
import { makeSandbox } from "../../support/runtime-world.ts";
import { openSandboxWorkWorld, type SandboxWorkWorld } from "../../support/sandbox-work-world.ts";

const credential = { username: "robot", password: "planted-git-password" };
const planted = ["planted-git-password", "planted-prompt", "planted-secret", "planted-output"];

let work: SandboxWorkWorld;

beforeAll(async () => {
  work = await openSandboxWorkWorld(credential);
});
afterAll(() => work.close());

/** An agent that does what a real one does: reads the prompt, works in the repository, commits, pushes, reports. */
const agentScript = `set -e
prompt=$(cat)
echo "planted-output"
echo "$WORD" > word.txt
cat service.txt >> word.txt
git switch --quiet -c fix-1
git add -A
git commit --quiet -m "Fix: $prompt"
git push --quiet origin fix-1
echo '{"type":"result","summary":"Fixed it"}'`;

it("boots, takes a prompt, pushes a branch and ends when the attempt is over", async () => {
  const { world, gateway, git } = work;
  const url = await git.addRepository("checkout", {
    "README.md": "hello",
    "agent.sh": agentScript,
    ".runwright/setup.sh": 'echo "setup $WORD" > setup.txt; false',
    ".runwright/start.sh":
      "(while sleep 0.05; do echo service; done) & echo $! > ../service.pid; echo ready > service.txt",
  });
  const sandbox = await makeSandbox(world, {
    bundle: {
      repositories: [{ name: "checkout", url, branch: "main", credential, caCertificates: world.ca }],
      environment: { WORD: "planted-secret", PATH: "/nowhere", sandbox_id: "mine" },
      agent: { command: ["bash", "agent.sh"], protocol: "exec" },
    },
  });
  const processes = await work.start(sandbox);

  await sandbox.noted("ready-time");
  const lease = await sandbox.lease();
  expect(lease?.metadata.annotations?.["runwright.dev/connected-time"]).toMatch(/Z$/);
  expect(lease?.metadata).toMatchObject({
    labels: { "runwright.dev/session-uid": sandbox.sessionUid, "runwright.dev/session-name": sandbox.session },
    ownerReferences: [{ kind: "Secret" }],
  });

  const prompt = await sandbox.prompt("planted-prompt");
  const status = await sandbox.settled(prompt.name);
  const head = (await git.git("checkout", "rev-parse", "fix-1")).trim();
  expect(status).toMatchObject({
    conditions: [{ type: "Succeeded", status: "True", reason: "Completed" }],
    result: { summary: "Fixed it", branch: "fix-1", commit: head },
  });
  expect(await git.git("checkout", "log", "-1", "--format=%s%n%an", "fix-1")).toBe("Fix: planted-prompt\nRunwright\n");
  expect(await git.git("checkout", "show", "fix-1:word.txt")).toBe("planted-secret\nready\n");
  expect(await git.git("checkout", "show", "fix-1:setup.txt")).toBe("setup planted-secret\n");

  // What start.sh left in the background still runs, and delays nothing.
  const servicePid = Number(await readFile(join(processes.workspace, "service.pid"), "utf8"));
  expect(() => process.kill(servicePid, 0)).not.toThrow();
  process.kill(servicePid, "SIGKILL");

  await sandbox.status({
    currentPrompt: null,
    sandbox: {
      attempt: 1,
      podName: "p",
      podUID: sandbox.podUid,
      createTime: new Date().toISOString(),
      endTime: new Date().toISOString(),
      endReason: "Stopped",
    },
  });
  expect(await processes.ended()).toEqual([0, 0]);

  for (const word of planted) {
    expect(processes.output()).not.toContain(word);
    expect(gateway.logs.join("")).not.toContain(word);
  }
  await expectNoCredential(processes);
});

async function expectNoCredential({ workspace, home }: SandboxProcesses): Promise<void> {
  for (const folder of [workspace, home]) {
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      expect(await readFile(join(entry.parentPath, entry.name), "utf8"), entry.name).not.toContain(credential.password);
    }
  }
}
