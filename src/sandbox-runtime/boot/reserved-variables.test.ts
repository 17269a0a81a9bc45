import { beforeEach, expect, it } from "vitest";

import type { Bundle } from "../../api/runtime/bundle.ts";
import { agentVariables } from "../../api/runtime/pod-contract.ts";
import { isReservedSecretKey } from "../../api/v1alpha1/secret-scopes.ts";
import { systemClock } from "../../lib/clock.ts";
import { FakeClock } from "../../lib/fake-clock.ts";
import { ProcessGroup } from "../agent/process-group.ts";
import { baseEnvironment } from "../config.ts";
import { CostMeter } from "../conversation/cost-meter.ts";
import type { AgentChannel, Command } from "../local/agent-channel.ts";
import { TunnelUrls } from "../tunnels/tunnel-urls.ts";
import { type BootDeps, runBoot } from "./run-boot.ts";

const commit = "a".repeat(40);
const repository = { name: "app", url: "https://h/team/app.git", branch: "main" };
const bundle: Bundle = {
  version: 1,
  session: { namespace: "t", name: "s", uid: "u", attempt: 2 },
  repositories: [repository, { ...repository, name: "lib" }],
  environment: { A_SECRET: "hidden" },
  agent: { command: ["agent"], protocol: "exec" },
  tunnels: { ports: [3_000, 8_080], waitSeconds: 30 },
  payload: "{}",
  traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
};

let commands: Command[];
beforeEach(() => void (commands = []));

/** The agent's container, in which every command succeeds. */
const agent = {
  introduction: {
    type: "agent",
    workspace: "/workspace",
    home: "/home/agent",
    program: ["runwright-sandbox"],
    credentialHelper: "",
    systemCaFile: "",
  },
  isClosed: false,
  write: () => undefined,
  run(command: Command) {
    commands.push(command);
    return {
      ended: Promise.resolve({ code: 0, signal: null }),
      write: () => Promise.resolve(),
      kill: () => undefined,
    };
  },
} as unknown as AgentChannel;

/** Boots a session or a build, and has the agent process a prompt. */
async function boots(change: Partial<Bundle>): Promise<void> {
  const tunnels = new TunnelUrls();
  tunnels.set([{ port: 3_000, url: "https://people.example.com/3000" }]);
  const deps = {
    log: { info: () => undefined, warn: () => undefined },
    clock: new FakeClock(),
    random: { bytes: (size: number) => Buffer.alloc(size) },
    socketDirectory: "/run/runwright/socket",
    secrets: [],
    costs: new CostMeter({ changed: () => undefined, refused: () => undefined }),
    gatewayUrl: "wss://gateway:8443",
    startedMs: 0,
    keyAgents: { open: () => Promise.resolve() },
    tunnels,
    restore: () => Promise.resolve("restored"),
    gateway: { report: () => undefined },
    prompts: {
      bootFailed: () => undefined,
      booted: (_context: unknown, conversation: Parameters<BootDeps["prompts"]["booted"]>[1]) =>
        conversation.turn({ uid: "p", text: "fix it", images: [] }, { take: () => undefined }),
    },
  };
  await runBoot(deps as unknown as BootDeps, { ...bundle, ...change }, agent);
}

/** Names of variables that hooks and agents get beside the session's secrets; what the runtime starts for itself has no secrets. */
function namesBesideSecrets(): string[] {
  const withSecrets = commands.filter(({ env }) => "A_SECRET" in env);
  return [...new Set(withSecrets.flatMap(({ env }) => Object.keys(env)))].filter((name) => name !== "A_SECRET");
}

it.each<[string, Partial<Bundle>, string]>([
  ["a fresh session", {}, "EXPECTED_TUNNEL_PORTS"],
  ["a restored session", { restores: 1 }, "RESTORED_FROM_SNAPSHOT"],
  ["a session on a volume", { hasWorkspace: true }, "TUNNEL_3000"],
  ["a prebuilt image", { image: { build: 1, commits: [{ repository: "app", commit }] } }, "REPO_IMAGE_SHA"],
  ["a build", { build: { timeoutSeconds: 60 } }, "IMAGE_BUILD_MODE"],
  ["an acp agent", { agent: { command: ["agent"], protocol: "acp" } }, "TRACEPARENT"],
])(
  "every variable that hooks and agents of %s get is reserved: no secret of its name could arrive",
  async (...given) => {
    const [, change, name] = given;
    await boots(change);
    const names = namesBesideSecrets();
    expect(names).toContain(name);
    expect(names.filter((one) => !isReservedSecretKey(one))).toEqual([]);
  },
);

it("the hooks' own are among those that are looked at, and so is the agent's process", async () => {
  await boots({});
  expect(namesBesideSecrets()).toContain("RUNWRIGHT_BOOT_MODE");
  expect(commands.at(-1)?.command).toEqual(["agent"]);
});

it("every variable of the agent's container is reserved", () => {
  const names = [...Object.keys(baseEnvironment({})), ...Object.values(agentVariables)];
  expect(names).toContain("HOME");
  expect(names.filter((one) => !isReservedSecretKey(one))).toEqual([]);
});

it("every variable that a process gets beside those of its command is reserved", async () => {
  let said = "";
  const command = {
    type: "run",
    id: 1,
    command: ["/usr/bin/env", "-0"],
    cwd: "/",
    env: {},
    keepsChildren: false,
  } as const;
  const output = (_stream: string, text: string): boolean => Boolean((said += text));
  await new ProcessGroup({ ...command, command: [...command.command] }, { base: {}, clock: systemClock, output }).ended;
  const lines = said.split("\0").filter((line) => line !== "");
  const names = lines.map((line) => line.split("=")[0] ?? "");
  expect(names).toContain("PWD");
  expect(names.filter((one) => !isReservedSecretKey(one))).toEqual([]);
});
