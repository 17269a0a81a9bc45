import { generateKeyPairSync } from "node:crypto";
import { describe, expect, it } from "vitest";
import { aRepository, aSandboxClass, aSecret } from "../../../test/support/builders.ts";
import {
  type Condition,
  type Environment,
  type Repository,
  type SandboxClass,
  scopeLabels,
  type Skill,
  SkillSpec,
} from "../../api/v1alpha1/index.ts";
import type { Secret } from "../../kube/core-resources.ts";
import {
  decideEnvironment,
  decideRepository,
  decideSandboxClass,
  decideSkill,
  inheritedSettings,
  judgeEnvironment,
  judgeRepository,
} from "./decide.ts";

const holding = (key: string, value: string): Secret =>
  aSecret({ [key]: value }, { name: "s", type: "kubernetes.io/basic-auth" });
const repository = (spec: Partial<Repository["spec"]>): Repository =>
  aRepository("r", { spec: { url: "https://git.example.com/team/r.git", ...spec } });

function anAppKey(): Secret {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  return holding("githubAppPrivateKey", privateKey.export({ type: "pkcs1", format: "pem" }).toString());
}

const githubApp: NonNullable<Repository["spec"]["githubApp"]> = {
  appID: 12,
  privateKeySecretRef: { name: "app", key: "githubAppPrivateKey" },
  permissions: { contents: "write" },
  apiURL: "https://api.github.com",
};
const github = { apiURLs: [githubApp.apiURL] };
const judged = (spec: Partial<Repository["spec"]>, secrets: Parameters<typeof judgeRepository>[1]) =>
  judgeRepository(repository(spec), secrets, github);
const named = { credentialSecretRef: { name: "git" }, caSecretRef: { name: "ca" } };
const credential = holding("password", "p");
const ca = holding("ca.crt", "-----BEGIN CERTIFICATE-----");

it.each([
  { name: "names no Secret", spec: {}, secrets: {}, reason: undefined },
  { name: "has what it names", spec: named, secrets: { credential, ca }, reason: undefined },
  { name: "lacks its credential", spec: named, secrets: { ca }, reason: "SecretNotFound" },
  { name: "lacks its authorities", spec: named, secrets: { credential }, reason: "SecretNotFound" },
  {
    name: "has an empty password",
    spec: named,
    secrets: { credential: holding("password", ""), ca },
    reason: "InvalidSecret",
  },
  {
    name: "names a Secret of another type",
    spec: named,
    secrets: { credential: { ...credential, type: "kubernetes.io/ssh-auth" }, ca },
    reason: "InvalidSecret",
  },
  { name: "lacks its App's key", spec: { githubApp }, secrets: {}, reason: "SecretNotFound" },
  { name: "has an App's key", spec: { githubApp }, secrets: { appKey: anAppKey() }, reason: undefined },
  {
    name: "has an App's key that is none",
    spec: { githubApp },
    secrets: { appKey: holding("githubAppPrivateKey", "none") },
    reason: "InvalidSecret",
  },
  {
    name: "has an App of a GitHub that the gateway does not speak to",
    spec: { githubApp: { ...githubApp, apiURL: "https://github.example.com/api/v3" } },
    secrets: { appKey: anAppKey() },
    reason: "InvalidSpec",
  },
  {
    name: "has other data",
    spec: named,
    secrets: { credential, ca: holding("tls.crt", "PEM") },
    reason: "InvalidSecret",
  },
])("a Repository that $name is judged $reason", ({ spec, secrets, reason }) => {
  const readiness = judged(spec, {
    credential: undefined,
    ca: undefined,
    appKey: undefined,
    scope: undefined,
    ...secrets,
  });
  expect(readiness.problem?.reason).toBe(reason);
  expect(readiness.requeueMs).toBe(Object.keys(spec).length > 0 ? 60_000 : undefined);
});

const scope = { ...holding("A", "a"), type: "Opaque" };
const labelled = (kind: "repository" | "environment", name: string): Secret => ({
  ...scope,
  metadata: { name: "s", labels: scopeLabels(kind, name) },
});

it.each([
  ["is there and labelled", labelled("repository", "r"), undefined],
  ["is not there", undefined, "SecretNotFound"],
  ["is another Repository's", labelled("repository", "other"), "InvalidSecret"],
  ["holds a reserved key", { ...labelled("repository", "r"), data: { PATH: "" } }, "InvalidSecret"],
])("a Repository whose secretRef %s is judged so", (_, secret, reason) => {
  const readiness = judged(
    { secretRef: { name: "s" } },
    {
      credential,
      ca,
      appKey: undefined,
      scope: secret,
    },
  );
  expect(readiness.problem?.reason).toBe(reason);
  expect(readiness.requeueMs).toBe(60_000);
});

it.each([
  ["is there and labelled", labelled("environment", "e"), undefined],
  ["is a Repository's", labelled("repository", "e"), "InvalidSecret"],
  ["is not there", undefined, "SecretNotFound"],
])("an Environment whose secretRef %s is judged so", (_, secret, reason) => {
  const environment: Environment = {
    metadata: { name: "e" },
    spec: { repositoryRefs: [{ name: "a" }], secretRef: { name: "s" } },
  };
  const readiness = judgeEnvironment({ object: environment, missingRepositories: [], secrets: { scope: secret } });
  expect(readiness.problem?.reason).toBe(reason);
  expect(readiness.requeueMs).toBe(60_000);
});

it("an Environment names the Repositories that are not there", () => {
  const environment: Environment = {
    metadata: { name: "e" },
    spec: { repositoryRefs: [{ name: "a" }, { name: "b" }, { name: "c" }] },
  };
  const facts = { object: environment, secrets: { scope: undefined } };
  expect(judgeEnvironment({ ...facts, missingRepositories: [] }).problem).toBeUndefined();
  expect(judgeEnvironment({ ...facts, missingRepositories: ["a", "c"] }).problem).toEqual({
    reason: "RepositoryNotFound",
    message: "There is no Repository a, c",
  });
});

it.each([
  ["can be used", "", { status: "True", reason: "Ready" }],
  ["can be used at 262,144 bytes of SKILL.md", "x".repeat(262_144 - 35), { status: "True", reason: "Ready" }],
  [
    "names the file that is too large",
    "x".repeat(262_144 - 34),
    {
      status: "False",
      reason: "InvalidSkill",
      message: "SKILL.md is 262145 bytes; a file is at most 262144",
    },
  ],
])("a Skill %s", (_, body, ready) => {
  const spec = SkillSpec.parse({ description: "b", body });
  const status = { conditions: [], digest: "sha256:old", bytes: 1 };
  const object = { metadata: { name: "a" }, spec, status };
  const { effects, requeueMs } = decideSkill({ object, configMaps: new Map() }, new Date(0));
  expect(requeueMs).toBeUndefined();
  expect(effects[0]?.status.conditions).toMatchObject([{ type: "Ready", ...ready }]);
  const isReady = ready.status === "True";
  expect(effects[0]?.status.bytes).toBe(isReady ? 35 + body.length : undefined);
  expect(effects[0]?.status.digest === undefined).toBe(!isReady);
});

it.each([
  ["that is there", { style: { data: { "style.md": "bold" } } }, { status: "True", reason: "Ready" }],
  [
    "that is not",
    {},
    {
      status: "False",
      reason: "SkillFileNotFound",
      message: "references/style.md: there is no ConfigMap style in the namespace",
    },
  ],
])("a Skill with a file from a ConfigMap %s is judged again each minute", (_, configMaps, ready) => {
  const files = [{ path: "references/style.md", configMapKeyRef: { name: "style", key: "style.md" } }];
  const object = { metadata: { name: "a" }, spec: SkillSpec.parse({ description: "b", files }) };
  const facts = { object, configMaps: new Map(Object.entries(configMaps)) };
  const { effects, requeueMs } = decideSkill(facts, new Date(0));
  expect(effects[0]?.status.conditions).toMatchObject([{ type: "Ready", ...ready }]);
  expect(requeueMs).toBe(60_000);
});

/** Five Skills of exactly 1 MiB, one more of that many bytes, and others that do not count. */
function skillsWithLast(bytes: number | undefined): Skill[] {
  const skill = (name: string, size: number | undefined, more: object = {}): Skill => ({
    metadata: { name },
    spec: SkillSpec.parse({ description: "d", appliesTo: { all: true }, ...more }),
    status: size === undefined ? {} : { bytes: size },
  });
  const full = 1_048_576;
  return [
    ...["a", "b", "c", "d"].map((name) => skill(name, full)),
    skill("e", full, { appliesTo: { repositories: ["web"] } }),
    skill("f", bytes),
    skill("suspended", full, { suspend: true }),
    skill("elsewhere", full, { appliesTo: { repositories: ["other"], environments: ["other"] } }),
  ];
}

describe.each<[string, (skills: Skill[], old?: Condition[]) => Condition[] | undefined]>([
  [
    "Repository",
    (skills, conditions = []) => {
      const object = aRepository("web", { status: { conditions } });
      const secrets = { credential: undefined, ca: undefined, appKey: undefined, scope: undefined };
      const facts = { object, secrets, classes: [], skills, integrations: [] };
      return decideRepository(facts, new Date(0), { operator: {}, github }).effects[0]?.status.conditions;
    },
  ],
  [
    "Environment",
    (skills, conditions = []) => {
      const object = {
        metadata: { name: "shop" },
        spec: { repositoryRefs: [{ name: "web" }] },
        status: { conditions },
      };
      const facts = { object, missingRepositories: [], secrets: { scope: undefined }, skills };
      return decideEnvironment(facts, new Date(0)).effects[0]?.status.conditions;
    },
  ],
])("a %s whose sessions get Skills", (_, conditionsWith) => {
  it.each([
    ["of exactly 5 MiB", 0],
    ["one of which is not valid", undefined],
  ])("%s is ready and says nothing more", (__, bytes) => {
    expect(conditionsWith(skillsWithLast(bytes))).toMatchObject([{ type: "Ready", status: "True" }]);
  });

  it("of a byte more is warned of until they are smaller", () => {
    const warned = conditionsWith(skillsWithLast(1));
    expect(warned).toMatchObject([
      {
        type: "SkillsTooLarge",
        status: "True",
        reason: "SkillsTooLarge",
        message:
          "A session here that takes all Skills does not start: its skills are 5242881 bytes, the limit is 5242880; the largest: a 1048576, b 1048576, c 1048576, d 1048576, e 1048576. Narrow appliesTo of Skills, or set skills.mode of the Session or Automation.",
      },
      { type: "Ready", status: "True" },
    ]);
    expect(conditionsWith(skillsWithLast(0), warned)).toMatchObject([{ type: "Ready", status: "True" }]);
  });
});

function aClass(name: string, isDefault: boolean): SandboxClass {
  const settings = { tunnelPorts: [1], maxTotalChildSessions: 3 };
  const metadata = { name, creationTimestamp: "2026-05-04T10:00:00Z" };
  return { ...aSandboxClass(name, { default: isDefault, settings }), metadata };
}

it.each([
  ["the default class", [aClass("other", false), aClass("standard", true)], 3, "SandboxClass/standard"],
  ["no class where none is the default", [aClass("other", false)], 4, "Operator"],
])("a Repository shows its settings over those of %s", (_, classes, maxTotalChildSessions, origin) => {
  const web = aRepository("web", { spec: { settings: { tunnelPorts: [8000] } } });
  const { settings, settingOrigins } = inheritedSettings({ maxTotalChildSessions: 4 }, classes, web).shown;
  expect(settings).toMatchObject({ tunnelPorts: [8000], maxTotalChildSessions });
  expect(settingOrigins).toContainEqual({ name: "tunnelPorts", origin: "Repository/web" });
  expect(settingOrigins).toContainEqual({ name: "maxTotalChildSessions", origin });
});

describe("a SandboxClass whose cluster's addresses are not known", () => {
  const networkProblem = "Nodes cannot be listed: forbidden";
  const now = new Date("2026-05-04T10:15:00Z");
  const conditionsOf = (object: SandboxClass, problem?: string) =>
    decideSandboxClass({ object, networkProblem: problem }, now).effects[0]?.status.conditions ?? [];
  const egress = { internet: true, dns: true, allow: [], dnsCIDRs: [] };
  const open = aSandboxClass("open", { egress });

  it("is ready, and warned of", () => {
    expect(conditionsOf(open, networkProblem)).toMatchObject([
      {
        type: "ClusterRangesUnknown",
        status: "True",
        reason: "ClusterRangesUnknown",
        message: `${networkProblem}. Set the chart value sandbox.egressExceptCIDRs to the ranges of Nodes, pods, Services and the API server.`,
      },
      { type: "Ready", status: "True" },
    ]);
  });

  it("is no longer warned of once they are", () => {
    const warned = { ...open, status: { conditions: conditionsOf(open, networkProblem) } };
    expect(conditionsOf(warned).map(({ type }) => type)).toEqual(["Ready"]);
  });

  it("is not warned of where its sandboxes reach no internet", () => {
    const closed = aSandboxClass("closed", { egress: { ...egress, internet: false } });
    expect(conditionsOf(closed, networkProblem).map(({ type }) => type)).toEqual(["Ready"]);
  });
});
