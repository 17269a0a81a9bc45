import { parse } from "yaml";

/** A step of a job: a script, or an action by name and commit. */
export interface Step {
  id?: string;
  name?: string;
  run?: string;
  uses?: string;
  env?: Record<string, string>;
  with?: Record<string, string | number | boolean>;
}

/** One job, as far as release.yml uses what there is. */
export interface Job {
  needs?: string | string[];
  env?: Record<string, string>;
  strategy?: { matrix: { include: Record<string, string>[] } };
  outputs?: Record<string, string>;
  steps: Step[];
}

/** A GitHub Actions workflow. */
export interface Workflow {
  jobs: Record<string, Job>;
}

/** What expressions refer to: `github`, `env`, `steps`, `needs`, `matrix`, `secrets`, each a tree of texts. */
export interface Context {
  [name: string]: string | Context;
}

/** Reads a workflow's text. */
export function readWorkflow(text: string): Workflow {
  return parse(text) as Workflow;
}

/** The workflow with other platforms for the images of some targets; throws where its matrix has no such target. */
export function withPlatforms(workflow: Workflow, platforms: Readonly<Record<string, string>>): Workflow {
  const changed = structuredClone(workflow);
  const entries = Object.values(changed.jobs).flatMap(({ strategy }) => strategy?.matrix.include ?? []);
  for (const [target, wanted] of Object.entries(platforms)) {
    const entry = entries.find((candidate) => candidate.target === target);
    if (entry?.platforms === undefined) throw new Error(`the workflow builds no ${target} for platforms`);
    entry.platforms = wanted;
  }
  return changed;
}

/** The names of the jobs, each after those that it needs; throws where a job needs one that comes after it in the file. */
export function inOrder({ jobs }: Workflow): string[] {
  const done: string[] = [];
  for (const [name, { needs }] of Object.entries(jobs)) {
    const missing = needsOf(needs).filter((needed) => !done.includes(needed));
    if (missing.length > 0) throw new Error(`job ${name} needs ${missing.join(", ")}, which must stand before it`);
    done.push(name);
  }
  return done;
}

/** The jobs that a job names as needed. */
export function needsOf(needs: Job["needs"]): string[] {
  return needs === undefined ? [] : [needs].flat();
}

const expression = /\$\{\{(.*?)\}\}/gs;

/** The expressions in a text, without their braces. */
export function expressionsIn(text: string): string[] {
  return [...text.matchAll(expression)].map(([, inner = ""]) => inner.trim());
}

/**
 * The text with its `${{ a.b }}` replaced by what the context has there, or by nothing where that step or job gave no such output, as
 * GitHub does. Throws, with the expression, on any that is more than a path or begins with an unknown name.
 */
export function evaluate(text: string, context: Context): string {
  return text.replaceAll(expression, (_all, inner: string) => {
    const path = inner.trim().split(".");
    const known = path.every((part) => /^[\w-]+$/.test(part)) && path[0] !== undefined && path[0] in context;
    if (!known) throw new Error(`the rehearsal cannot evaluate \${{ ${inner.trim()} }}`);
    let value: string | Context | undefined = context;
    for (const part of path) value = typeof value === "object" ? value[part] : undefined;
    return typeof value === "string" ? value : "";
  });
}

/** The `name=value` lines that a script wrote as its outputs. */
export function outputsIn(text: string): Record<string, string> {
  const lines = text.split("\n").filter((line) => line.includes("="));
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)] as const),
  );
}
