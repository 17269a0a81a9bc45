import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Environment, Skill, SkillSpec } from "../../../src/api/v1alpha1/index.ts";
import type { KubeClient } from "../../../src/kube/client.ts";
import { runPlugin } from "../../support/cli.ts";
import { testCluster } from "../../support/cluster.ts";
import { clientOf, newNamespace } from "../../support/kube.ts";

let client: KubeClient;
let disconnect: () => Promise<void>;
let namespace: string;
let root: string;
beforeAll(async () => {
  const connection = clientOf({ file: testCluster().kubeconfig });
  ({ client } = connection);
  disconnect = () => connection.close();
  namespace = await newNamespace(client, "skills");
  root = await mkdtemp(join(tmpdir(), "runwright-skills-"));
});
afterAll(async () => {
  await rm(root, { recursive: true });
  await disconnect();
});

async function put(path: string, content: string, mode = 0o644): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), content);
  await chmod(join(root, path), mode);
}

async function kubectl(args: readonly string[], input = ""): Promise<string> {
  const { kubeconfig, kubectl: program } = testCluster();
  const run = promisify(execFile)(program, ["--kubeconfig", kubeconfig, ...args], { maxBuffer: 64 * 1024 * 1024 });
  run.child.stdin?.end(input);
  return (await run).stdout;
}

const plugin = (...argv: string[]) => runPlugin([...argv, "--kubeconfig", testCluster().kubeconfig]);

/** Texts that a reader or writer of YAML may take for something else, or lose. */
const awkward = [
  "yes",
  "0x1F",
  "12:30:45",
  "2026-05-04",
  "~",
  " leading and trailing ",
  "\n\nblank lines around\n\n\n",
  "\ttab\n\t\ttabs\n",
  "  indented\nless\n",
  "crlf\r\nand cr\rend",
  "\u0085next line\u2028separator\u2029\ufeffmark",
  "control \u0001\u007f\u009f",
  "# no comment\n---\n...\n%YAML 1.1\n",
  "'single' \"double\" \\back\\",
  "🦊 é 日本",
  "trailing space \nand more \n",
];

it("what kubectl stores of a rendered folder is the folder's, byte for byte", async () => {
  const body = awkward.join("\n");
  await put("awkward/SKILL.md", `---\nname: awkward\ndescription: yes\nmetadata: {on: 1_000}\n---\n${body}`);
  for (const [index, text] of awkward.entries()) await put(`awkward/scripts/${String(index)}`, text, 0o755);
  const { out, status } = await plugin("skill", "render", join(root, "awkward"), "--all", "-n", namespace);
  expect(status).toBe(0);
  await kubectl(["apply", "--server-side", "--validate=strict", "-f", "-"], out);
  const { spec } = await client.get<Skill>(Skill, { namespace, name: "awkward" });
  expect(spec).toMatchObject({ description: "yes", metadata: { on: "1_000" }, body });
  const stored = Object.fromEntries((spec.files ?? []).map(({ path, content }) => [path, content]));
  expect(stored).toEqual(Object.fromEntries(awkward.map((text, index) => [`scripts/${String(index)}`, text])));
  expect(spec.files?.every(({ executable }) => executable)).toBe(true);
});

it("the largest Skill that a check allows is stored, and rendered anew it is the same", async () => {
  const file = "\u0001".repeat(240_000);
  await put("large/SKILL.md", `---\nname: large\ndescription: d\n---\n`);
  await put("large/a", file);
  const { out } = await plugin("skill", "render", join(root, "large"), "-n", namespace);
  await kubectl(["apply", "--server-side", "-f", "-"], out);
  const { out: again, status } = await plugin("skill", "render", join(root, "large"), "-n", namespace);
  expect([status, again]).toEqual([0, out]);
  expect(await kubectl(["diff", "--server-side", "-f", "-"], again)).toBe("");
});

it("skills lists all of a namespace, and what a session on a target would get", async () => {
  const place = await newNamespace(client, "skills");
  const stored = async (
    name: string,
    spec: object,
    status: object = { digest: "sha256:0", bytes: 10 },
  ): Promise<void> => {
    const parsed = SkillSpec.parse({ description: "d", ...spec });
    const made = await client.create<Skill>(Skill, { metadata: { namespace: place, name }, spec: parsed });
    await client.patchStatus<Skill>(Skill, made, { observedGeneration: 1, ...status });
  };
  const invalid = {
    ...{ type: "Ready", status: "False", reason: "InvalidSkill", message: "a is too large" },
    lastTransitionTime: "2026-05-04T10:15:00Z",
  } as const;
  await stored("everywhere", { appliesTo: { all: true } });
  await stored("web", { appliesTo: { repositories: ["web"] } });
  await stored("shop", { appliesTo: { environments: ["shop"] } });
  await stored("nowhere", {});
  await stored("off", { appliesTo: { all: true }, suspend: true });
  await stored("broken", { appliesTo: { all: true } }, { conditions: [invalid] });
  await client.create(Environment, {
    metadata: { namespace: place, name: "shop" },
    spec: { repositoryRefs: [{ name: "web" }] },
  });
  const names = async (...flags: string[]): Promise<string> => {
    const { out } = await plugin("skills", "-n", place, ...flags, "-o", "name");
    return out.replaceAll("skill.runwright.dev/", "").trim().split("\n").join(" ");
  };
  expect(await names()).toBe("broken everywhere nowhere off shop web");
  expect(await names("--repository", "web")).toBe("everywhere web");
  expect(await names("--repository", "api")).toBe("everywhere");
  expect(await names("--environment", "shop")).toBe("everywhere shop web");

  const { out, err } = await plugin("skills", "-n", place, "--environment", "shop");
  expect(out).toMatch(/^web +10 +Repository web +Ready$/m);
  expect(out).toContain("Together 30 bytes; a session gets at most 5242880");
  expect(err.split("\n")).toEqual(["broken is left out: InvalidSkill: a is too large", "off is left out: Suspended"]);
  expect((await plugin("skills", "-n", place, "--environment", "gone")).err).toContain(
    `there is no Environment gone in namespace ${place}`,
  );
});
