import { join } from "node:path";
import { type BootFailure, type PassedOver, passedOverCharacters } from "../../api/runtime/bundle.ts";
import { protocolLimits } from "../../api/runtime/limits.ts";
import { payloadFile } from "../../api/runtime/pod-contract.ts";
import { cutMiddle } from "../../lib/characters.ts";
import { reasons } from "../../api/v1alpha1/reasons.ts";
import { clone } from "./clone.ts";
import { fetchBranch } from "../git/fetch-branch.ts";
import { updateToBranch } from "../git/update-to-branch.ts";
import { gitFiles } from "../git/git-config.ts";
import { type Hook, runHook } from "./hooks.ts";
import type { Conversation } from "../conversation/conversation.ts";
import { installSkills } from "../skills/install-skills.ts";
import type { WorkContext } from "../work-context.ts";

/**
 * Clones in parallel, runs the hooks in the repositories' order and starts the agent. No step has a limit of its own; the
 * boot budget bounds them all. Resolves with the final failure, if there is one, and the hooks that failed without ending it.
 *
 * | step | on failure |
 * |---|---|
 * | clone | final |
 * | fetch, in a restored workspace | a warning |
 * | update, in a prebuilt image | a warning, and named to the controller |
 * | setup.sh | a warning |
 * | start.sh of the primary repository | final |
 * | start.sh of another one | a warning |
 * | the skills | final |
 * | the agent does not start | final |
 */
export async function boot(
  context: WorkContext,
  conversation: Conversation,
): Promise<{ failure: BootFailure | undefined; passedOver: PassedOver }> {
  const { agent, bundle } = context;
  const passedOver: PassedOver = [];
  writeGitFiles(context);
  if (bundle.payload !== undefined) agent.write(join(agent.introduction.home, payloadFile), bundle.payload);
  if (context.mode === "snapshot_restore") await refresh(context);
  const unprepared = context.mode === "fresh" ? await prepare(context, passedOver) : undefined;
  const failure =
    unprepared ?? (await start(context, passedOver)) ?? (await install(context)) ?? (await open(context, conversation));
  return { failure, passedOver };
}

export function writeGitFiles({ agent, bundle, socketDirectory }: WorkContext): void {
  for (const { path, text, prefixFile } of gitFiles(bundle.repositories, agent.introduction, socketDirectory)) {
    agent.write(path, text, prefixFile);
  }
}

/** Clones and runs setup.sh, whose failure is final unless it may be passed over, as in a session. */
export async function prepare(
  context: WorkContext,
  passedOver: PassedOver | undefined,
): Promise<BootFailure | undefined> {
  return (await cloneAll(context)) ?? (await runHooks(context, "setup", passedOver));
}

/** Brings the checkouts of a prebuilt image to their branches; names those that could not be. */
export async function update(context: WorkContext): Promise<string[]> {
  writeGitFiles(context);
  context.publish({ kind: "bootProgress", phase: "clone" });
  const updates = context.bundle.repositories.map(async (repository) =>
    (await updateToBranch(context, repository)) ? [] : [repository.name],
  );
  return (await Promise.all(updates)).flat();
}

/** A restored workspace is already cloned and set up. */
async function refresh(context: WorkContext): Promise<void> {
  await Promise.all(context.bundle.repositories.map((repository) => fetchBranch(context, repository)));
}

async function cloneAll(context: WorkContext): Promise<BootFailure | undefined> {
  const { repositories } = context.bundle;
  context.publish({ kind: "bootProgress", phase: "clone" });
  const problems = await Promise.all(repositories.map((repository) => clone(context, repository)));
  const found = problems.filter((problem) => problem !== undefined);
  return found.length === 0 ? undefined : failure("clone", reasons.cloneFailed, found.join("; "));
}

/** Boot goes on without the URLs, as the ports work without them. */
async function awaitTunnels({ bundle, tunnels, clock, publish }: WorkContext): Promise<void> {
  if (!bundle.tunnels || (await tunnels.wait(bundle.tunnels, clock))) return;
  const message = `the tunnel URLs were not known within ${bundle.tunnels.waitSeconds} s; start.sh runs without them`;
  publish({ kind: "warning", scope: "start", message });
}

async function start(context: WorkContext, passedOver: PassedOver): Promise<BootFailure | undefined> {
  await awaitTunnels(context);
  return runHooks(context, "start", passedOver);
}

/** Runs one hook of all repositories; a failure that is not final is a warning, and is added to what was passed over. */
async function runHooks(
  context: WorkContext,
  phase: Hook,
  passedOver: PassedOver | undefined,
): Promise<BootFailure | undefined> {
  const { agent, bundle, publish } = context;
  for (const [index, repository] of bundle.repositories.entries()) {
    const { name } = repository;
    publish({ kind: "bootProgress", phase, repository: name });
    const message = await runHook(context, phase, repository);
    if (message === undefined) continue;
    if (!passedOver || agent.isClosed || (phase === "start" && index === 0))
      return failure(phase, reasons.hookFailed, message);
    publish({ kind: "warning", scope: phase, repository: name, message });
    passedOver.push({ hook: phase, message: cutMiddle(message, passedOverCharacters) });
  }
  return undefined;
}

async function install(context: WorkContext): Promise<BootFailure | undefined> {
  const problem = await installSkills(context);
  return problem === undefined ? undefined : failure("skills", reasons.skillsNotInstalled, problem);
}

/** After the hooks, as they may have installed the agent. */
async function open(context: WorkContext, conversation: Conversation): Promise<BootFailure | undefined> {
  context.publish({ kind: "bootProgress", phase: "agent" });
  const problem = await conversation.open();
  return problem === undefined ? undefined : failure("agent", reasons.agentNotStarted, problem);
}

function failure(phase: BootFailure["phase"], reason: string, message: string): BootFailure {
  return { phase, reason, message: cutMiddle(message, protocolLimits.messageCharacters / 2) };
}
