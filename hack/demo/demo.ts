import { Prompt } from "../../src/api/v1alpha1/index.ts";
import type { Answer } from "../../test/e2e/support/delivery.ts";
import type { FollowedRun } from "../../test/e2e/support/follow.ts";
import {
  examineBranch,
  listBranches,
  refusesStrangers,
  type BranchEvidence,
} from "../../test/e2e/support/git-evidence.ts";
import type { GitServer } from "../../test/e2e/support/git-server.ts";
import { createKey } from "../../test/e2e/support/key.ts";
import type { Narrator } from "../../test/e2e/support/narrator.ts";
import { samplePayload } from "../../test/e2e/support/payload.ts";
import {
  openSender,
  requireAnswer,
  type Sender,
  type SentDelivery,
  type WantedAnswer,
} from "../../test/e2e/support/sender.ts";
import { succeeded } from "../../test/e2e/support/stages.ts";
import { automationName, type SampleAgent, tenantObjects } from "../../test/e2e/support/tenant-objects.ts";
import { apply, kubectl, type Workbench } from "../../test/e2e/support/workbench.ts";
import { compareWithPool, type WarmReport } from "./warm.ts";

export const tenantNamespace = "demo";
export const gitNamespace = "demo-git";
export const className = "demo";
/** Of the demo, as its path names it. */
export const automation = `${tenantNamespace}.${automationName}`;

/** What `--output json` prints. */
export interface DemoReport {
  answers: Answer[];
  run: FollowedRun["run"];
  stagesMs: FollowedRun["stagesMs"];
  /** The first prompt, with what the agent used. */
  prompt: Prompt;
  /** With `--warm`. */
  pool?: WarmReport;
}

/** What the steps of the demo share. */
interface Cast {
  git: GitServer;
  /** The sample repository's own by default. */
  agent?: SampleAgent;
  /** Also against a pool of sandboxes that wait. */
  warm: boolean;
}

/** Everything the story needs that was set up before it. */
interface Stage {
  bench: Workbench;
  narrator: Narrator;
  git: GitServer;
  sender: Sender;
}

/** The main job on a cluster that has release and git server: from `kubectl apply` to a commit on a branch. */
export async function tellStory(bench: Workbench, { warm, ...cast }: Cast, narrator: Narrator): Promise<DemoReport> {
  const { git } = cast;
  narrator.step("The git server asks for a password, and the sample's test fails");
  narrator.say(`${git.url} holds the sample repository`);
  if (!(await refusesStrangers(bench, git)))
    throw new Error("the git server should refuse a client without a password");
  narrator.say("without the password it refuses");
  await showBranch({ bench, git, narrator }, "main", false);

  narrator.step("Repository, SandboxClass and a webhook Automation");
  const objects = tenantObjects({ namespace: tenantNamespace, className, ...cast });
  await apply(bench, objects);
  const names = ["sandboxclass/demo", "repository/checkout", `automation/${automationName}`];
  narrator.show(await kubectl(bench, ["-n", tenantNamespace, "get", ...names, "--no-headers"]));

  narrator.step(`kubectl runwright key create ${tenantNamespace}/${automationName}`);
  const { key, printed } = await createKey(bench, `${tenantNamespace}/${automationName}`);
  narrator.show(printed);

  const sender = await openSender(bench, { namespace: tenantNamespace, automation, key }, narrator);
  try {
    return await deliverAll({ bench, narrator, git, sender }, warm);
  } finally {
    await sender.close();
  }
}

async function deliverAll(stage: Stage, warm: boolean): Promise<DemoReport> {
  const { bench, narrator, sender } = stage;
  const answers: Answer[] = [];
  const send = async (what: string, sent: SentDelivery, want: WantedAnswer): Promise<void> => {
    answers.push(requireAnswer(await sender.send(what, sent), want));
  };
  const fire = async (what: string, body: unknown): Promise<FollowedRun> => {
    const started = await sender.start(what, body);
    answers.push(started.answer);
    return requireSuccess(await sender.watcher.follow(started));
  };

  narrator.step(`A recorded Alertmanager body to /webhooks/automation/${automation}`);
  const first = await samplePayload({ keyed: true });
  narrator.say(`the word to find again: ${first.incident}`);
  const followed = await fire("first delivery", first.body);
  await checkOutcome(stage, followed, first.incident);
  const prompt = await promptOf(stage, followed);

  narrator.step("The same delivery again, and others");
  await send("same idempotencyKey again", { body: first.body }, { triggered: 0, skipped: 1 });
  const mild = await samplePayload({ severity: "warning" });
  await send("filters do not match", { body: mild.body }, { triggered: 0, skipped: 0 });
  await send("wrong API key", { body: first.body, key: "wrong-key" }, 401);

  narrator.step("Without an idempotency key: a second Run");
  const second = await fire("without idempotencyKey", (await samplePayload()).body);

  const place = { bench, narrator, namespace: tenantNamespace, className };
  const again = async (): Promise<FollowedRun> => fire("against a pool", (await samplePayload()).body);
  const pool = warm ? await compareWithPool(place, second, again) : undefined;

  narrator.step("Branches on the git server");
  narrator.show(await listBranches(bench, stage.git));
  narrator.show(await kubectl(bench, ["-n", tenantNamespace, "get", "runs,sessions"]));
  return { answers, run: followed.run, stagesMs: followed.stagesMs, prompt, ...(pool && { pool }) };
}

async function promptOf({ bench, narrator }: Stage, { run }: FollowedRun): Promise<Prompt> {
  const session = run.status?.sessions?.[0]?.name ?? "";
  const prompt = await bench.client.get(Prompt, { namespace: tenantNamespace, name: `${session}-1` });
  const { usage } = prompt.status ?? {};
  if (usage) narrator.say(`the agent says that it used ${JSON.stringify(usage)}`);
  return prompt;
}

function requireSuccess(followed: FollowedRun): FollowedRun {
  const { run } = followed;
  const verdict = succeeded(run);
  if (verdict?.status === "True") return followed;
  throw new Error(`Run ${run.metadata.name} ended ${verdict?.reason}: ${verdict?.message}`);
}

async function checkOutcome(stage: Stage, { run }: FollowedRun, incident: string): Promise<void> {
  const { branch = "", commit, summary } = run.status?.result ?? {};
  stage.narrator.say(`branch ${branch}, commit ${commit}`);
  stage.narrator.say(summary ?? "the agent gave no summary");
  const evidence = await showBranch(stage, branch, true);
  if (evidence.commit !== commit)
    throw new Error(`${branch} is at ${evidence.commit} on the git server, not ${commit}`);
  if (!evidence.message.includes(incident)) throw new Error(`the commit's message does not name ${incident}`);
  stage.narrator.show(evidence.message);
}

async function showBranch(
  { bench, git, narrator }: Pick<Stage, "bench" | "git" | "narrator">,
  branch: string,
  wantPass: boolean,
): Promise<BranchEvidence> {
  const look = (): Promise<BranchEvidence> => examineBranch(bench, git, branch);
  const evidence = await narrator.during(`running the sample's tests on ${branch}`, look);
  narrator.show(evidence.testOutput);
  narrator.say(`the test ${evidence.testsPass ? "passes" : "fails"} on ${branch}`);
  if (evidence.testsPass !== wantPass) throw new Error(`the test should ${wantPass ? "pass" : "fail"} on ${branch}`);
  return evidence;
}
