import { beforeAll, describe, expect, it } from "vitest";
import { apiVersion, type Kind, Repository, Skill } from "../../../src/api/v1alpha1/index.ts";
import { makeNamespace, testApi } from "../../support/cluster.ts";
import { collectionPath } from "./paths.ts";

// The worked tables of the product about names, fields, paths and revisions of skills (03 2.1 to 2.10), row by row: the API
// server and the schema that `skill check` judges with say the same.

let namespace: string;
beforeAll(async () => {
  namespace = await makeNamespace("skills");
});

interface Refusal {
  status: number;
  message: string;
}

async function post(
  kind: Kind,
  name: string,
  spec: object,
  query = "?dryRun=All&fieldValidation=Strict",
): Promise<Refusal> {
  const object = { apiVersion, kind: kind.kind, metadata: { name }, spec };
  const { status, body } = await testApi().send("POST", `${collectionPath(kind, namespace)}${query}`, object);
  return { status, message: (body as { message?: string }).message ?? "" };
}

const judge = (spec: object, name = "a"): Promise<Refusal> => post(Skill, name, { description: "b", ...spec });

describe("names (2.1)", () => {
  it.each(["a", "code-review-2", "a".repeat(64), "record-videos", "123", "true", "null", "2026-05-04"])(
    "%s is one",
    async (name) => {
      expect(await judge({}, name)).toMatchObject({ status: 201 });
    },
  );

  it.each(["Code-Review", "code_review", "-a", "a-", "a--b", "a.b", "a/b", "a b", "a".repeat(65), ""])(
    "%j is none",
    async (name) => {
      expect([404, 422]).toContain((await judge({}, name)).status);
    },
  );

  it.each(["agent-browser", "record-video", "upload-screenshot", "visual-verification", "customize-agent"])(
    "%s is reserved",
    async (name) => {
      const { status, message } = await judge({}, name);
      expect(status).toBe(422);
      expect(message).toContain("must not be reserved");
    },
  );

  it("is free again once its Skill is deleted, and cannot change", async () => {
    const path = collectionPath(Skill, namespace);
    const object = { apiVersion, kind: Skill.kind, metadata: { name: "again" }, spec: { description: "b" } };
    expect((await testApi().send("POST", path, object)).status).toBe(201);
    expect((await testApi().send("POST", path, object)).status).toBe(409);
    const renamed = { ...object, metadata: { name: "renamed" } };
    expect((await testApi().send("PUT", `${path}/again`, renamed)).status).toBe(400);
    expect((await testApi().send("DELETE", `${path}/again`)).status).toBe(200);
    expect((await testApi().send("POST", path, object)).status).toBe(201);
  });
});

const limited: { name: string; of: (length: number) => object; most: number }[] = [
  { name: "description", most: 1_024, of: (length) => ({ description: "é".repeat(length) }) },
  { name: "description of emoji", most: 1_024, of: (length) => ({ description: "😀".repeat(length) }) },
  { name: "license", most: 200, of: (length) => ({ license: "é".repeat(length) }) },
  { name: "compatibility", most: 500, of: (length) => ({ compatibility: "é".repeat(length) }) },
  { name: "key of metadata", most: 100, of: (length) => ({ metadata: { ["k".repeat(length)]: "v" } }) },
  { name: "value of metadata", most: 500, of: (length) => ({ metadata: { k: "é".repeat(length) } }) },
  {
    name: "number of keys of metadata",
    most: 100,
    of: (length) => ({ metadata: Object.fromEntries(Array.from({ length }, (_, index) => [`k${index}`, "v"])) }),
  },
  {
    name: "number of files",
    most: 99,
    of: (length) => ({ files: Array.from({ length }, (_, index) => ({ path: `f${index}`, content: "" })) }),
  },
];
const steps = [
  { more: -1, status: 201 },
  { more: 0, status: 201 },
  { more: 1, status: 422 },
];

it.each(limited.flatMap((one) => steps.map((step) => ({ ...one, ...step }))))(
  "limits (2.1, 2.5 row 37): $name of $most and $more",
  async ({ of, most, more, status }) => {
    expect(await judge(of(most + more))).toMatchObject({ status });
  },
);

describe("what must be there, or not (2.1, 2.2, 2.4 rows 1 and 2)", () => {
  it.each<[string, object, number]>([
    ["no description", { description: undefined }, 422],
    ["an empty description", { description: "" }, 422],
    ["a description of spaces", { description: " \n" }, 422],
    ["an empty license", { license: "" }, 422],
    ["a compatibility of spaces", { compatibility: " " }, 422],
    ["an empty key of metadata", { metadata: { "": "v" } }, 422],
    ["an empty value of metadata", { metadata: { k: "" } }, 201],
    ["a number as metadata", { metadata: { k: 1 } }, 422],
    ["an empty body", { body: "" }, 201],
    ["a body that begins like a head", { body: "---\nname: x\n---\n" }, 201],
    ["an unknown field", { bodies: "" }, 400],
    ["an unknown field of a file", { files: [{ path: "a", content: "", mode: 7 }] }, 400],
    ["a file without content", { files: [{ path: "a" }] }, 422],
    ["a file of 262,144 bytes", { files: [{ path: "a", content: "x".repeat(262_144) }] }, 201],
    ["a file of a character more", { files: [{ path: "a", content: "x".repeat(262_145) }] }, 422],
    ["one path twice (2.5 row 35)", { files: [1, 2].map(() => ({ path: "a.md", content: "" })) }, 422],
    ["an environment twice (2.4 row 7)", { appliesTo: { environments: ["e", "e"] } }, 422],
    ["an environment that does not exist (2.4 row 7)", { appliesTo: { environments: ["none"] } }, 201],
    ["no assignment: it applies nowhere", { appliesTo: {} }, 201],
  ])("%s", async (_, spec, status) => {
    expect(await judge(spec)).toMatchObject({ status });
  });
});

/** Rows of 2.5 with one path. */
const paths: [row: string, path: string, isOk: boolean][] = [
  ["1", "references/api.md", true],
  ["2", "a", true],
  ["6", "", false],
  ["7", "/etc/hosts", false],
  ["8", "a/", false],
  ["9", "a//b", false],
  ["10", "./a", false],
  ["11", "a/./b", false],
  ["12", "..", false],
  ["13", "a/../b", false],
  ["14", "...", true],
  ["15", "..a", true],
  ["15", "a..", true],
  ["15", ".hidden", true],
  ["15", "a/.gitignore", true],
  ["16", "a\\b", false],
  ["17", "SKILL.md", false],
  ["18", "SKILL.md/x", false],
  ["19", "skill.md", false],
  ["20", "docs/SKILL.md", true],
  ["21", "SKILL.md.bak", true],
  ["22", "1/2/3/4/5/6/7/8/9/10", true],
  ["23", "1/2/3/4/5/6/7/8/9/10/11", false],
  ["24", "x".repeat(240), true],
  ["25", "x".repeat(241), false],
  ["26", "é".repeat(120), true],
  ["27", "é".repeat(121), false],
  ["28", "日".repeat(80), true],
  ["28", "日".repeat(81), false],
  ["29", "a\tb", false],
  ["29", "a\nb", false],
  ["29", "a\u0000b", false],
  ["29", "a\u007fb", false],
  ["30", "a\u0085b", false],
  ["31", "a b/c d.md", true],
  ["32", " a", false],
  ["32", "a ", false],
  ["33", "C:/x", true],
  ["33", "~/x", true],
  ["33", "%2e%2e/x", true],
];

describe("paths (2.5)", () => {
  it.each(paths)("row %s: %j", async (_, path, isOk) => {
    const spec = { files: [{ path, content: "" }] };
    expect(await judge(spec)).toMatchObject({ status: isOk ? 201 : 422 });
    expect(Skill.schema.safeParse({ spec: { description: "b", ...spec } }).success).toBe(isOk);
  });

  it.each([
    ["3", "scripts/run.sh", true],
    ["3", "scripts/deeper/run.sh", true],
    ["4", "bin/run.sh", false],
    ["5", "scripts", false],
  ])("row %s: %s, executable", async (_, path, isOk) => {
    expect(await judge({ files: [{ path, content: "", executable: true }] })).toMatchObject({
      status: isOk ? 201 : 422,
    });
  });
});

describe("revisions and updates (2.4 row 8, 2.7)", () => {
  it("an outdated version is refused, and without one the last write counts", async () => {
    const path = collectionPath(Skill, namespace);
    const object = { apiVersion, kind: Skill.kind, metadata: { name: "matched" }, spec: { description: "one" } };
    const { body } = await testApi().send("POST", path, object);
    const { metadata } = body as { metadata: { resourceVersion: string; generation: number } };
    const put = (version: string | undefined, description: string) => {
      const changed = { ...object, metadata: { name: "matched", resourceVersion: version }, spec: { description } };
      return testApi().send("PUT", `${path}/matched`, changed);
    };
    const second = await put(metadata.resourceVersion, "two");
    expect(second).toMatchObject({ status: 200, body: { metadata: { generation: 2 } } });
    expect(await put(metadata.resourceVersion, "three")).toMatchObject({ status: 409 });
    const { metadata: last } = second.body as { metadata: { resourceVersion: string } };
    // The same content is no other revision.
    expect(await put(last.resourceVersion, "two")).toMatchObject({
      status: 200,
      body: { metadata: { generation: 2 } },
    });
    const patch = await testApi().send("PATCH", `${path}/matched`, { spec: { description: "four" } });
    expect(patch.status).toBe(200);
  });
});

it.each<[unknown, boolean]>([
  [1, true],
  [3_600, true],
  [3_601, false],
  [0, false],
  [-1, false],
  [1.5, false],
  ["600", false],
])("buildTimeoutSeconds of a Repository (4.1): %j", async (buildTimeoutSeconds, isOk) => {
  const spec = { url: "https://git.example.com/a.git", settings: { buildTimeoutSeconds } };
  expect(await post(Repository, "timed", spec)).toMatchObject({ status: isOk ? 201 : 422 });
});
