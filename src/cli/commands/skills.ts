import { Environment, Skill, skillLimits } from "../../api/v1alpha1/index.ts";
import { findCondition } from "../../domain/conditions.ts";
import { applies, type SkillTarget } from "../../domain/skills/applies.ts";
import { namespaceOf } from "../arguments/name-argument.ts";
import { CliError } from "../cli-error.ts";
import { defineCommand, type Invocation } from "../command.ts";
import { listedAs } from "../output/listed.ts";
import { textTable } from "../output/table.ts";

const flags = {
  repository: {
    value: "NAME",
    repeats: true,
    about: "show what a session on this Repository gets; may be given more than once",
  },
  environment: { value: "NAME", about: "show what a session on this Environment gets" },
} as const;

export const skills = defineCommand({
  name: "skills",
  summary: "list Skills, and which of them a new session on a target would get",
  details:
    "With --repository or --environment only those that such a session gets if it takes all: valid, not suspended, and for this target. What applies and is left out is said on standard error, and why.",
  parameters: [],
  flags,
  formats: ["json", "yaml", "name"],
  examples: ["skills -n demo", "skills -n demo --repository checkout", "skills -n demo --environment shop -o name"],
  async run(invocation) {
    const { cluster, io } = invocation;
    const namespace = namespaceOf(invocation);
    const target = await targetOf(invocation, namespace);
    const { items } = await cluster().client.list<Skill>(Skill, { namespace });
    const shown = target ? items.filter((skill) => isGiven(skill, target)) : items;
    for (const skill of target ? items.filter((one) => isLeftOut(one, target)) : []) {
      io.note(`${skill.metadata.name ?? ""} is left out: ${stateOf(skill)}`);
    }
    if (shown.length === 0) io.note(`No Skills found in namespace ${namespace}`);
    return { text: textOf(shown, target !== undefined), ...listedAs(Skill, shown) };
  },
});

async function targetOf(
  { flags: { repository, environment }, cluster }: Invocation<typeof flags>,
  namespace: string,
): Promise<SkillTarget | undefined> {
  if (environment === undefined) return repository.length === 0 ? undefined : { repositories: repository };
  const found = await cluster().client.find<Environment>(Environment, { namespace, name: environment });
  if (!found) throw new CliError(`there is no Environment ${environment} in namespace ${namespace}`);
  const members = found.spec.repositoryRefs.map(({ name }) => name);
  return { repositories: [...members, ...repository], environment };
}

const isValid = ({ status }: Skill): boolean => status?.digest !== undefined;

function isGiven(skill: Skill, target: SkillTarget): boolean {
  return isValid(skill) && applies(skill, target, { mode: "All" });
}

/** It would be given, if it were in order. */
function isLeftOut({ metadata, spec, status }: Skill, target: SkillTarget): boolean {
  const skill = { metadata, spec: { ...spec, suspend: false } };
  return applies(skill, target, { mode: "All" }) && (spec.suspend || !isValid({ metadata, spec, status }));
}

function textOf(shown: readonly Skill[], isOfTarget: boolean): string {
  if (shown.length === 0) return "";
  const rows = shown.map((skill) => [
    skill.metadata.name ?? "",
    String(skill.status?.bytes ?? ""),
    scopeOf(skill),
    stateOf(skill),
  ]);
  const table = textTable(["NAME", "BYTES", "FOR", "STATE"], rows);
  const bytes = shown.reduce((sum, { status }) => sum + (status?.bytes ?? 0), 0);
  const sum = `Together ${bytes} bytes; a session gets at most ${skillLimits.sessionBytes}`;
  return isOfTarget ? `${table}\n\n${sum}` : table;
}

function scopeOf({ spec: { appliesTo } }: Skill): string {
  const { all, repositories = [], environments = [] } = appliesTo;
  if (all) return "all sessions";
  const named = [
    ...repositories.map((name) => `Repository ${name}`),
    ...environments.map((name) => `Environment ${name}`),
  ];
  return named.join(", ") || "none";
}

function stateOf({ spec, status }: Skill): string {
  const ready = findCondition(status?.conditions, "Ready");
  if (ready?.status === "False") return `${ready.reason}: ${ready.message}`;
  if (!ready) return "not judged yet";
  return spec.suspend ? "Suspended" : "Ready";
}
