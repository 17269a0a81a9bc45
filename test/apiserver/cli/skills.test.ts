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

/** Characters that the API server's own reader of YAML refuses or changes in a server-side apply. */
const controls = ["next\u0085line", "control \u007f\u009f"];

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
  "line\u2028separator\u2029\ufeffmark",
  "control \u0001\u001f",
  "# no comment\n---\n...\n%YAML 1.1\n",
  "'single' \"double\" \\back\\",
  "🦊 é 日本",
  "trailing space \nand more \n",
];

/** What kubectl has stored of a folder with these files, as the command gives them to it. */
async function storedOf(name: string, texts: readonly string[], ...command: string[]): Promise<[Skill, string]> {
  await put(
    `${name}/SKILL.md`,
    `---\nname: ${name}\ndescription: yes\nmetadata: {on: 1_000}\n---\n${texts.join("\n")}`,
  );
  for (const [index, text] of texts.entries()) await put(`${name}/scripts/${String(index)}`, text, 0o755);
  const { out, err, status } = await plugin("skill", "render", join(root, name), "--all", "-n", namespace);
  expect(status).toBe(0);
  await kubectl([...command, "--validate=strict", "-f", "-"], out);
  return [await client.get<Skill>(Skill, { namespace, name }), err];
}

it.each([
  { way: "apply", command: ["apply"], texts: awkward },
  { way: "apply --server-side", command: ["apply", "--server-side"], texts: awkward },
  { way: "create", command: ["create"], texts: [...awkward, ...controls] },
])("what kubectl $way stores of a rendered folder is the folder's, byte for byte", async ({ way, command, texts }) => {
  const name = `by-${way.replaceAll(/[^a-z]+/g, "-")}`;
  const [{ spec }, err] = await storedOf(name, texts, ...command);
  expect(spec).toMatchObject({ description: "yes", metadata: { on: "1_000" }, body: texts.join("\n") });
  const stored = (spec.files ?? []).map(({ path, content }) => [path, content]);
  expect(Object.fromEntries(stored)).toEqual(
    Object.fromEntries(texts.map((text, index) => [`scripts/${String(index)}`, text])),
  );
  expect(spec.files?.every(({ executable }) => executable)).toBe(true);
  const warning = "by-create has characters from U+007F to U+009F, which a server-side apply changes or refuses";
  expect(err.includes(warning)).toBe(way === "create");
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

it("the folder of Skills for kustomize is valid, and the API server takes it", async () => {
  const folder = join(import.meta.dirname, "../../../manifests/gitops/skills");
  const built = (await kubectl(["kustomize", folder])).replaceAll("namespace: demo", `namespace: ${namespace}`);
  await put("built.yaml", built);
  const { status, out } = await plugin("skill", "check", join(root, "built.yaml"));
  expect([status, out]).toEqual([0, expect.stringMatching(/^release-notes +yes +\d+ +2 +sha256:/m)]);
  await kubectl(["apply", "--server-side", "--validate=strict", "-f", "-"], built);
  const { spec } = await client.get<Skill>(Skill, { namespace, name: "release-notes" });
  expect(spec.files?.[0]?.configMapKeyRef?.name).toMatch(/^release-notes-[a-z0-9]{10}$/);
});

it("skills lists all of a namespace, and what a session on a target would get", async () => {
  const place = await newNamespace(client, "skills");
  const judged = { type: "Ready", message: "", lastTransitionTime: "2026-05-04T10:15:00Z" };
  const valid = { conditions: [{ ...judged, status: "True", reason: "Ready" }], digest: "sha256:0", bytes: 10 };
  const invalid = { conditions: [{ ...judged, status: "False", reason: "InvalidSkill", message: "a is too large" }] };
  const stored = async (name: string, spec: object, status: object = valid): Promise<void> => {
    const parsed = SkillSpec.parse({ description: "d", ...spec });
    const made = await client.create<Skill>(Skill, { metadata: { namespace: place, name }, spec: parsed });
    await client.patchStatus<Skill>(Skill, made, { observedGeneration: 1, ...status });
  };
  await stored("everywhere", { appliesTo: { all: true } });
  await stored("web", { appliesTo: { repositories: ["web"] } });
  await stored("shop", { appliesTo: { environments: ["shop"] } });
  await stored("nowhere", {});
  await stored("off", { appliesTo: { all: true }, suspend: true });
  await stored("broken", { appliesTo: { all: true } }, invalid);
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
