import { Buffer } from "node:buffer";
import { CliError } from "../cli-error.ts";
import { defineCommand, type Invocation } from "../command.ts";
import { asYaml } from "../output/printable.ts";
import { faultLines } from "../skills/find-skills.ts";
import { judgeSource, manifestOf } from "../skills/judge-source.ts";
import { readSkillFolders } from "../skills/skill-folder.ts";

const flags = {
  all: { about: "every session of the namespace gets it" },
  repository: {
    value: "NAME",
    repeats: true,
    about: "sessions on this Repository get it; may be given more than once",
  },
  environment: {
    value: "NAME",
    repeats: true,
    about: "sessions on this Environment get it; may be given more than once",
  },
} as const;

/** What `kubectl apply` without --server-side keeps of an object in an annotation. */
const mostAnnotationBytes = 262_144;

/** The API server reads the JSON of a server-side apply as YAML, where these are line ends or not allowed. */
const unapplied = /[\u007f-\u009f]/;

export const skillRender = defineCommand({
  name: "skill render",
  summary: "print the Skill of a folder with a SKILL.md, or those of folders in it, as YAML",
  details:
    "Needs no cluster. Files go into the Skill byte for byte; those below scripts/ that are executable stay so. Symbolic links and files that are not UTF-8 are refused; .git and .DS_Store are left out. Without --all, --repository and --environment no session gets the Skill.",
  parameters: ["DIRECTORY"],
  flags,
  formats: ["json", "yaml"],
  examples: [
    "skill render skills/release-notes --repository checkout -n demo | kubectl apply --server-side -f -",
    "skill render skills --all > skills.yaml",
  ],
  async run(invocation) {
    const { args, format, io, namespace } = invocation;
    const appliesTo = scopeOf(invocation);
    const sources = await readSkillFolders(args[0] ?? "");
    const skills = sources.map((source) => judgeSource({ ...source, spec: { ...source.spec, ...appliesTo } }));
    const faults = faultLines(skills);
    if (faults.length > 0) throw new CliError(faults.join("\n"));
    for (const { name = "" } of skills.filter(({ spec }) => unapplied.test(JSON.stringify(spec)))) {
      io.note(
        `${name} has characters from U+007F to U+009F, which a server-side apply changes or refuses: use kubectl create`,
      );
    }
    const manifests = skills.map((skill) => manifestOf(skill, namespace));
    if (manifests.some((one) => Buffer.byteLength(JSON.stringify(one)) > mostAnnotationBytes)) {
      io.note("Too large for kubectl apply alone: use kubectl apply --server-side");
    }
    if (!appliesTo) io.note("No session gets it yet: add --all, --repository NAME or --environment NAME");
    if (format === "json") return { text: "", json: listOf(manifests) };
    io.write(manifests.map(asYaml).join("---\n"));
    return undefined;
  },
});

function scopeOf({ flags: { all, repository, environment } }: Invocation<typeof flags>): object | undefined {
  if (!all && repository.length + environment.length === 0) return undefined;
  const appliesTo = {
    ...(all && { all }),
    ...(repository.length > 0 && { repositories: repository }),
    ...(environment.length > 0 && { environments: environment }),
  };
  return { appliesTo };
}

function listOf(manifests: readonly object[]): object {
  const [only = {}] = manifests;
  return manifests.length === 1 ? only : { apiVersion: "v1", kind: "List", metadata: {}, items: manifests };
}
