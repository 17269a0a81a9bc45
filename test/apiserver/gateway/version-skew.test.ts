import { afterAll, beforeAll, expect, it, vi } from "vitest";

import type { Bundle } from "../../../src/api/runtime/bundle.ts";
import { openDirectoryStore } from "../../support/directory-store.ts";
import { type GitServer, startGitServer } from "../../support/git-server.ts";
import { type LandedVersion, openLandedVersion, whyNotLanded } from "../../support/landed-version.ts";
import { makeGatewayAccount, startGatewayProcess } from "../../support/runtime-gateway-process.ts";
import { type SandboxProcesses, startSandbox } from "../../support/runtime-processes.ts";
import { makeSandbox, makeWorld, type SandboxFixture, type World } from "../../support/runtime-world.ts";
import { inherit, savedWorkspace } from "../../support/saved-workspace.ts";
import { ask, shell, type StartedSandbox } from "../../support/sandbox-work-world.ts";

// Processes start, and a busy machine takes its time.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

const credential = { username: "robot", password: "planted-password" };
const whyNot = await whyNotLanded();
if (whyNot !== undefined && process.env.CI === "true") throw new Error(whyNot);

let landed: LandedVersion | undefined;
let world: World;
let git: GitServer;
let kubeconfig: string;
const started: SandboxProcesses[] = [];

beforeAll(async () => {
  world = await makeWorld();
  git = await startGitServer({ credential, certificate: world.tls });
  kubeconfig = await makeGatewayAccount(world);
  if (whyNot === undefined) landed = await openLandedVersion();
});

afterAll(async () => {
  for (const processes of started) processes.kill();
  await git.close();
  await landed?.remove();
  await world.close();
});

/** What the sandboxes of a session have in common. */
interface Sandboxes {
  gatewayUrl: string;
  /** The sandbox's program; by default this version's. */
  program?: string | undefined;
  bundle: Partial<Bundle>;
}

/** Starts a sandbox that begins with what the one before it saved. */
async function start({ gatewayUrl, program, bundle }: Sandboxes, before?: SandboxFixture): Promise<StartedSandbox> {
  const restores = before && { restores: before.attempt };
  const attempt = (before?.attempt ?? 0) + 1;
  const sandbox = await makeSandbox(world, { attempt, bundle: { ...bundle, ...restores } });
  if (before) await inherit(await openDirectoryStore(world.blobDirectory), sandbox, await savedWorkspace(before));
  const processes = await startSandbox(world, sandbox, gatewayUrl, program === undefined ? {} : { program });
  started.push(processes);
  return { sandbox, processes };
}

it.for(["runtime", "gateway"] as const)(
  "a %s of the last landed version clones, prompts, saves and restores with its peer of this version",
  async (old, context) => {
    if (!landed) return context.skip(whyNot);
    const program = old === "gateway" ? { program: landed.operator } : {};
    const gateway = await startGatewayProcess(world, kubeconfig, `gateway-${old}`, program);
    const url = await git.addRepository(old, { "file.txt": "cloned " });
    const sandboxes: Sandboxes = {
      gatewayUrl: `wss://localhost:${gateway.sandboxPort}`,
      program: old === "runtime" ? landed.sandbox : undefined,
      bundle: {
        repositories: [{ name: "work", url, branch: "main", credential, caCertificates: world.ca }],
        agent: shell("cat >> file.txt; cat file.txt"),
        keepsWorkspace: true,
      },
    };
    const first = await start(sandboxes);
    expect(await ask(first, "one ")).toMatchObject({ result: { summary: "cloned one" } });
    await first.sandbox.status({ sandbox: { snapshotTime: new Date().toISOString() } });
    const second = await start(sandboxes, first.sandbox);
    expect(await ask(second, "two ")).toMatchObject({ result: { summary: "cloned one two" } });
    // A peer that is not understood loses its connection and comes back.
    expect(await Promise.all([first, second].map(({ sandbox }) => sandbox.noted("connection")))).toEqual(["1", "1"]);
    await gateway.kill();
  },
);
