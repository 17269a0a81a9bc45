import { Buffer } from "node:buffer";
import { expect, it } from "vitest";
import { SkillSpec } from "../../api/v1alpha1/skill.ts";
import { configMapsOf, type ConfigMapTexts, judgeSkill } from "./judge-skill.ts";
import { revisionOf } from "./revision.ts";

const fileFrom = (name: string, path = "style.md"): object => ({ path, configMapKeyRef: { name, key: "style.md" } });
const specWith = (files: object[]): SkillSpec => SkillSpec.parse({ description: "b", files });
const judged = (files: object[], configMaps: Record<string, ConfigMapTexts>) =>
  judgeSkill("a", specWith(files), new Map(Object.entries(configMaps)));

const base64 = (text: string | Uint8Array): string => Buffer.from(text).toString("base64");

it.each<[string, ConfigMapTexts, string]>([
  ["in data", { data: { "style.md": "bold é\r\n" } }, "bold é\r\n"],
  ["that is empty", { data: { "style.md": "" } }, ""],
  ["in binaryData", { binaryData: { "style.md": base64("\ufeffbold é") } }, "\ufeffbold é"],
])("a text of a ConfigMap %s makes the same revision as the text itself", (_, configMap, content) => {
  const want = revisionOf("a", { description: "b", body: "", files: [{ path: "style.md", content }] });
  expect(judged([fileFrom("style")], { style: configMap })).toEqual({ ok: true, revision: want });
});

it.each<[string, Record<string, ConfigMapTexts>, object]>([
  [
    "that is not there",
    { other: { data: { "style.md": "" } } },
    { reason: "SkillFileNotFound", message: "style.md: there is no ConfigMap style in the namespace" },
  ],
  [
    "without the key",
    { style: { data: { other: "" } } },
    { reason: "SkillFileNotFound", message: "style.md: ConfigMap style has no key style.md" },
  ],
  [
    "without any key",
    { style: {} },
    { reason: "SkillFileNotFound", message: "style.md: ConfigMap style has no key style.md" },
  ],
])("no session gets a Skill with a file from a ConfigMap %s", (_, configMaps, problem) => {
  expect(judged([fileFrom("style")], configMaps)).toEqual({ ok: false, problem });
});

it("takes bytes of a ConfigMap that are no text", () => {
  const bytes = Uint8Array.of(0x89, 0x50, 0xff);
  const found = judged([fileFrom("style", "logo.png")], { style: { binaryData: { "style.md": base64(bytes) } } });
  const file = { path: "logo.png", content: base64(bytes), encoding: "base64" as const };
  const want = revisionOf("a", { description: "b", body: "", files: [file] });
  expect(found).toEqual({ ok: true, revision: want });
  expect(want.bytes - revisionOf("a", { description: "b", body: "" }).bytes).toBe(3);
});

it.each([
  [262_144, undefined],
  [262_145, "style.md is 262145 bytes; a file is at most 262144"],
])("%i bytes of a ConfigMap that are no text have the limit of a file", (count, message) => {
  const found = judged([fileFrom("style")], {
    style: { binaryData: { "style.md": base64(new Uint8Array(count).fill(0xff)) } },
  });
  expect(found.ok ? undefined : found.problem).toEqual(message && { reason: "InvalidSkill", message });
});

it("takes no key that every object has by itself", () => {
  const files = [{ path: "a", configMapKeyRef: { name: "style", key: "constructor" } }];
  expect(judged(files, { style: { data: {} } })).toMatchObject({ problem: { reason: "SkillFileNotFound" } });
});

it.each([
  [262_144, undefined],
  [262_145, "style.md is 262145 bytes; a file is at most 262144"],
])("a text of a ConfigMap with %i bytes has the limit of a file", (bytes, message) => {
  const found = judged([fileFrom("style")], { style: { data: { "style.md": "x".repeat(bytes) } } });
  expect(found.ok ? undefined : found.problem).toEqual(message && { reason: "InvalidSkill", message });
});

it.each([
  [0, true],
  [1, false],
])("with texts of ConfigMaps a revision of 1 MiB and %i bytes more is judged %j", (more, ok) => {
  const data = { a: "x".repeat(262_144), b: "x".repeat(262_144 - 35 + more) };
  const files = ["a", "a", "a", "b"].map((key, index) => ({
    path: `f${index}`,
    configMapKeyRef: { name: "large", key },
  }));
  expect(judged(files, { large: { data } }).ok).toBe(ok);
});

it.each([
  [9, undefined],
  [10, undefined],
  [11, { reason: "InvalidSkill", message: "the files come from 11 ConfigMaps; they may come from at most 10" }],
])("files may come from at most 10 ConfigMaps: %i", (count, problem) => {
  const names = Array.from({ length: count }, (_, index) => `c${String(index)}`);
  // Two files of each, as ConfigMaps are counted and not files.
  const files = [...names, ...names].map((name, index) => fileFrom(name, `f${String(index)}`));
  const found = judged(files, Object.fromEntries(names.map((name) => [name, { data: { "style.md": "" } }])));
  expect(found.ok ? undefined : found.problem).toEqual(problem);
  expect(configMapsOf(specWith(files))).toHaveLength(count);
});

const content = { description: "b", body: "steps" };
it.each<[string, object, boolean]>([
  ["the same content", {}, true],
  ["other assignments", { appliesTo: { all: true, repositories: ["web"] } }, true],
  ["a suspension", { suspend: true }, true],
  ["another body", { body: "Steps" }, false],
  ["another description", { description: "c" }, false],
  ["a license", { license: "MIT" }, false],
  ["metadata", { metadata: { a: "1" } }, false],
])("revisions (product 03 2.7): %s", (_, change, isSame) => {
  const digestOf = (spec: object): unknown => {
    const found = judgeSkill("a", SkillSpec.parse(spec), new Map());
    return found.ok ? found.revision.digest : found.problem;
  };
  expect(digestOf({ ...content, ...change }) === digestOf(content)).toBe(isSame);
});
