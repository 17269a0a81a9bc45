import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { run } from "../../lib/command.ts";
import { evaluate, inOrder, needsOf, outputsIn, type Context, type Step, type Workflow } from "./workflow.ts";

/** What an action has to do its work with. */
export interface ActionCall {
  /** The job's folder, with the checkout in it. */
  workspace: string;
  with: Record<string, string>;
}

/** Stands for an action; gives its outputs. */
export type StandIn = (call: ActionCall) => Promise<Record<string, string>>;

/** What a workflow runs with here. */
export interface Surroundings {
  /** Folder for the jobs' workspaces. */
  folder: string;
  /** The contexts `github` and `secrets`. */
  context: Context;
  /** Variables of every script, PATH with the stand-ins for programs among them. */
  environment: Record<string, string>;
  /** By the action's name without its commit. */
  actions: Readonly<Record<string, StandIn>>;
  /** Scripts that are not run, each with its reason. */
  leftOut: Readonly<Record<string, string>>;
  /** What takes the place of a text in the outputs of scripts, such as the registry's host. */
  replaced: readonly (readonly [string, string])[];
  say: (line: string) => void;
}

/** Runs the workflow's jobs one after the other, each of a matrix in a workspace of its own, and gives what they wrote as their summary. */
export async function runWorkflow(workflow: Workflow, surroundings: Surroundings): Promise<string> {
  const needs: Record<string, Context> = {};
  let summary = "";
  for (const name of inOrder(workflow)) {
    const job = workflow.jobs[name] ?? { steps: [] };
    const outputs: Record<string, string> = {};
    const needed = Object.fromEntries(needsOf(job.needs).map((other) => [other, needs[other] ?? {}]));
    for (const matrix of job.strategy?.matrix.include ?? [{}]) {
      const context: Context = { ...surroundings.context, needs: needed, matrix, env: {}, steps: {} };
      context.env = evaluateAll(job.env, context);
      surroundings.say(`job ${[name, ...Object.values(matrix)].join(" ")}`);
      summary += await runSteps(job.steps, context, surroundings);
      // Those that another entry of the matrix set stay.
      const given = Object.entries(evaluateAll(job.outputs, context)).filter(([, value]) => value !== "");
      Object.assign(outputs, Object.fromEntries(given));
    }
    needs[name] = { outputs };
  }
  return summary;
}

async function runSteps(steps: readonly Step[], context: Context, surroundings: Surroundings): Promise<string> {
  const workspace = await mkdtemp(join(surroundings.folder, "job-"));
  const files = { GITHUB_OUTPUT: `${workspace}.output`, GITHUB_STEP_SUMMARY: `${workspace}.summary` };
  await writeFile(files.GITHUB_STEP_SUMMARY, "");
  const outputs: Context = {};
  context.steps = outputs;
  for (const step of steps) {
    await writeFile(files.GITHUB_OUTPUT, "");
    const given = await runStep(step, { workspace, files }, context, surroundings);
    if (step.id !== undefined) outputs[step.id] = { outputs: given };
  }
  const summary = await readFile(files.GITHUB_STEP_SUMMARY, "utf8");
  await rm(workspace, { recursive: true, force: true });
  return summary;
}

async function runStep(
  step: Step,
  { workspace, files }: { workspace: string; files: Record<"GITHUB_OUTPUT" | "GITHUB_STEP_SUMMARY", string> },
  context: Context,
  { actions, environment, leftOut, replaced, say }: Surroundings,
): Promise<Record<string, string>> {
  const [action] = step.uses?.split("@") ?? [];
  say(`step ${step.name ?? step.run ?? action ?? ""}`);
  if (action !== undefined) {
    const standIn = actions[action];
    if (standIn === undefined) throw new Error(`nothing stands for the action ${action}`);
    return standIn({ workspace, with: evaluateAll(step.with, context) });
  }
  const script = step.run ?? "";
  const reason = leftOut[script];
  if (reason !== undefined) {
    say(`left out: ${reason}`);
    return {};
  }
  const variables = { ...(context.env as Record<string, string>), ...evaluateAll(step.env, context) };
  const env = { ...environment, ...variables, ...files };
  // As a runner does; a script that needs more says so itself.
  await run("bash", ["-e", "-c", script], { cwd: workspace, env, onErrorLine: say });
  const printed = await readFile(files.GITHUB_OUTPUT, "utf8");
  return outputsIn(replaced.reduce((text, [from, to]) => text.replaceAll(from, to), printed));
}

function evaluateAll(texts: Step["with"], context: Context): Record<string, string> {
  const pairs = Object.entries(texts ?? {});
  return Object.fromEntries(pairs.map(([name, text]) => [name, evaluate(String(text), context)] as const));
}
