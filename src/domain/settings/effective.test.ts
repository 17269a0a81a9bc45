import { describe, expect, it } from "vitest";
import type { SandboxClass } from "../../api/v1alpha1/sandbox-class.ts";
import type { Settings } from "../../api/v1alpha1/settings.ts";
import { effectiveSettings, settingsOf, type SettingsLayer } from "./effective.ts";

const hour = 3_600_000;

function aClass(spec: Partial<SandboxClass["spec"]> = {}): SandboxClass {
  // Only settings and lifetimes are read.
  return { metadata: { name: "standard" }, spec: spec as SandboxClass["spec"] };
}

const layer = (origin: string, settings: Settings): SettingsLayer => ({ origin, settings });

const builtIn = {
  finalSnapshotBufferMs: 600_000,
  tunnelPorts: [],
  maxConcurrentChildSessions: 5,
  maxTotalChildSessions: 15,
  buildTimeoutSeconds: 1_800,
  maxSessionCostUsd: "",
};

it("gives the product's defaults where no scope sets anything, and no lifetime", () => {
  expect(effectiveSettings({}, aClass(), [])).toEqual({ settings: builtIn, origins: [], bounded: [] });
  expect(settingsOf({})).toEqual(builtIn);
});

describe("merges", () => {
  const operator: Settings = { sandboxTimeoutMs: hour, tunnelPorts: [3000, 5173], maxSessionCostUsd: "5" };
  const web = layer("Repository/web", { tunnelPorts: [8000] });
  const api = layer("Repository/api", {});
  const environment = layer("Environment/env-1", { sandboxTimeoutMs: 2 * hour, tunnelPorts: [] });
  const session = layer("Session", { maxSessionCostUsd: "1.5" });

  it.each<[string, SettingsLayer[], Settings]>([
    ["no target", [], operator],
    ["a Repository with a list", [web], { ...operator, tunnelPorts: [8000] }],
    ["a Repository without settings", [api], operator],
    ["an Environment over its first Repository", [web, environment], { ...operator, ...environment.settings }],
    ["a Session's own", [web, session], { ...operator, tunnelPorts: [8000], maxSessionCostUsd: "1.5" }],
  ])("the settings of %s", (_, scopes, want) => {
    expect(effectiveSettings(operator, aClass(), scopes).settings).toEqual({ ...builtIn, ...want });
  });

  it("and says where each value came from", () => {
    const { origins } = effectiveSettings(operator, aClass({ settings: { maxTotalChildSessions: 3 } }), [
      web,
      environment,
      session,
    ]);
    expect(Object.fromEntries(origins.map(({ name, origin }) => [name, origin]))).toEqual({
      sandboxTimeoutMs: "Environment/env-1",
      tunnelPorts: "Environment/env-1",
      maxTotalChildSessions: "SandboxClass/standard",
      maxConcurrentChildSessions: "SandboxClass/standard",
      maxSessionCostUsd: "Session",
    });
  });

  it("lifts a weaker scope's cost limit by empty text", () => {
    const lifted = layer("Session", { maxSessionCostUsd: "" });
    expect(effectiveSettings(operator, aClass(), [lifted]).settings.maxSessionCostUsd).toBe("");
  });
});

describe("takes as lifetime", () => {
  const repository = (sandboxTimeoutMs: number) => [layer("Repository/web", { sandboxTimeoutMs })];
  const capped = { maxSandboxTimeoutMs: 2_700_000 };

  it.each<[string, Settings, Partial<SandboxClass["spec"]>, SettingsLayer[], number | undefined, string | undefined]>([
    ["none where none is set", {}, {}, [], undefined, undefined],
    ["the class's", {}, { sandboxTimeoutMs: 2 * hour }, [], 2 * hour, "SandboxClass/standard"],
    [
      "the class's over the operator's",
      { sandboxTimeoutMs: hour },
      { sandboxTimeoutMs: 2 * hour },
      [],
      2 * hour,
      "SandboxClass/standard",
    ],
    ["the operator's where the class has none", { sandboxTimeoutMs: hour }, {}, [], hour, "Operator"],
    ["the class's maximum where no scope sets one", {}, capped, [], 2_700_000, "SandboxClass/standard"],
    ["the scope's over the class's", {}, { sandboxTimeoutMs: 2 * hour }, repository(hour), hour, "Repository/web"],
    ["the scope's at the maximum", {}, capped, repository(2_700_000), 2_700_000, "Repository/web"],
  ])("%s", (_, operator, spec, scopes, want, origin) => {
    const found = effectiveSettings(operator, aClass(spec), scopes);
    expect(found.settings.sandboxTimeoutMs).toBe(want);
    expect(found.origins.find(({ name }) => name === "sandboxTimeoutMs")?.origin).toBe(origin);
    expect(found.bounded).toEqual([]);
  });

  it("the maximum where a scope's is above it, and says both, and where they came from", () => {
    const found = effectiveSettings({}, aClass(capped), repository(2_701_000));
    expect(found.settings.sandboxTimeoutMs).toBe(2_700_000);
    expect(found.origins).toEqual([{ name: "sandboxTimeoutMs", origin: "SandboxClass/standard" }]);
    expect(found.bounded).toEqual([
      "sandboxTimeoutMs 2701000 (Repository/web) is above maxSandboxTimeoutMs 2700000 (SandboxClass/standard), which counts",
    ]);
  });
});

it.each<[number, Settings, string | undefined]>([
  [601_000, {}, undefined],
  [600_000, {}, "finalSnapshotBufferMs 600000 (built in) is not below sandboxTimeoutMs 600000 (Repository/web)"],
  [480_000, {}, "finalSnapshotBufferMs 600000 (built in) is not below sandboxTimeoutMs 480000 (Repository/web)"],
  [480_000, { finalSnapshotBufferMs: 479_000 }, undefined],
  [
    480_000,
    { finalSnapshotBufferMs: 480_000 },
    "finalSnapshotBufferMs 480000 (Operator) is not below sandboxTimeoutMs 480000 (Repository/web)",
  ],
])("says of a lifetime of %i ms, where the operator sets %o, whether it is saved", (lifetime, operator, said) => {
  const found = effectiveSettings(operator, aClass(), [layer("Repository/web", { sandboxTimeoutMs: lifetime })]);
  expect(found.settings.sandboxTimeoutMs).toBe(lifetime);
  expect(found.bounded).toEqual(said ? [`${said}, so nothing is saved at the end of a sandbox's lifetime`] : []);
});

it("says of a class's maximum that bounds a lifetime that it leaves no time to save", () => {
  const scopes = [layer("Repository/web", { sandboxTimeoutMs: hour })];
  expect(effectiveSettings({}, aClass({ maxSandboxTimeoutMs: 480_000 }), scopes).bounded).toEqual([
    "sandboxTimeoutMs 3600000 (Repository/web) is above maxSandboxTimeoutMs 480000 (SandboxClass/standard), which counts",
    "finalSnapshotBufferMs 600000 (built in) is not below sandboxTimeoutMs 480000 (SandboxClass/standard), so nothing is saved at the end of a sandbox's lifetime",
  ]);
});

it.each([
  [14, 14, [{ name: "maxConcurrentChildSessions", origin: "Repository/web" }], []],
  [15, 15, [{ name: "maxConcurrentChildSessions", origin: "Repository/web" }], []],
  [
    16,
    15,
    [],
    ["maxConcurrentChildSessions 16 (Repository/web) is above maxTotalChildSessions 15 (built in), which counts"],
  ],
])("bounds %i child sessions at once to %i by those in all", (maxConcurrentChildSessions, want, origins, bounded) => {
  const found = effectiveSettings({}, aClass(), [layer("Repository/web", { maxConcurrentChildSessions })]);
  expect(found.settings.maxConcurrentChildSessions).toBe(want);
  expect(found.origins).toEqual(origins);
  expect(found.bounded).toEqual(bounded);
});

it("bounds concurrent child sessions silently where no scope sets them, and names the scope of the bound", () => {
  const found = effectiveSettings({ maxTotalChildSessions: 2 }, aClass(), []);
  expect(found.settings.maxConcurrentChildSessions).toBe(2);
  expect(found.origins).toEqual(
    ["maxTotalChildSessions", "maxConcurrentChildSessions"].map((name) => ({ name, origin: "Operator" })),
  );
  expect(found.bounded).toEqual([]);
});
