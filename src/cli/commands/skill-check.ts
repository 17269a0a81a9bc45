import { skillLimits } from "../../api/v1alpha1/index.ts";
import { defineCommand } from "../command.ts";
import { textTable } from "../output/table.ts";
import { faultLines, findSkills } from "../skills/find-skills.ts";
import { type JudgedSource, judgeSource } from "../skills/judge-source.ts";

export const skillCheck = defineCommand({
  name: "skill check",
  summary: "judge the Skills of a folder or of manifests, and say what is wrong with each",
  details:
    "Needs no cluster, and judges by everything that the API server and the controller check. PATH is a folder with a SKILL.md, a folder that holds such folders, or a file with manifests in YAML or JSON (- for standard input); texts of ConfigMaps are judged where the same file has them. The digest is the one that the Skill's status shows.",
  parameters: ["PATH"],
  flags: {},
  formats: ["json", "yaml"],
  examples: ["skill check skills/release-notes", "skill check skills -o json", "skill check - < skills.yaml"],
  async run({ args, io }) {
    const skills = (await findSkills(args[0] ?? "")).map(judgeSource);
    for (const { from, name = "", unread } of skills) {
      for (const configMap of unread)
        io.note(`${from}: ${name} has a text from ConfigMap ${configMap}, which was not judged`);
    }
    const lines = faultLines(skills);
    const faulty = skills.filter(({ faults }) => faults.length > 0).length;
    const failure = `${lines.length} ${lines.length === 1 ? "fault" : "faults"} in ${faulty} of ${skills.length} Skills`;
    return {
      text: [tableOf(skills), ...sumOf(skills), ...(lines.length > 0 ? ["", ...lines] : [])].join("\n"),
      json: { skills: skills.map(shownOf) },
      ...(lines.length > 0 && { failure }),
    };
  },
});

function tableOf(skills: readonly JudgedSource[]): string {
  const rows = skills.map(({ name = "", revision, faults, unread }) => [
    name,
    faults.length > 0 ? "no" : unread.length > 0 ? "not known" : "yes",
    revision === undefined ? "" : String(revision.bytes),
    revision === undefined ? "" : String(revision.skill.files.length),
    revision?.digest ?? "",
  ]);
  return textTable(["NAME", "VALID", "BYTES", "FILES", "DIGEST"], rows);
}

/** What a session with all of them would have. */
function sumOf(skills: readonly JudgedSource[]): string[] {
  if (skills.length < 2) return [];
  const bytes = skills.reduce((sum, { revision }) => sum + (revision?.bytes ?? 0), 0);
  return ["", `Together ${bytes} bytes; a session gets at most ${skillLimits.sessionBytes}`];
}

function shownOf({ from, name, revision, faults, unread }: JudgedSource): object {
  return {
    from,
    name,
    valid: faults.length === 0,
    ...(revision && { bytes: revision.bytes, digest: revision.digest }),
    ...(faults.length > 0 && { faults }),
    ...(unread.length > 0 && { unreadConfigMaps: unread }),
  };
}
