import { expect, it } from "vitest";
import type { Repository, SandboxClass } from "../../../api/v1alpha1/index.ts";
import { inheritedSettings } from "./inherited-settings.ts";

const repository: Repository = {
  metadata: { name: "web" },
  spec: { url: "https://git.example.com/web.git", branch: "main", settings: { tunnelPorts: [8000] } },
};

function aClass(name: string, isDefault: boolean): SandboxClass {
  // Only these are read.
  const spec = { default: isDefault, settings: { tunnelPorts: [1], maxTotalChildSessions: 3 } } as SandboxClass["spec"];
  return { metadata: { name, creationTimestamp: "2026-05-04T10:00:00Z" }, spec };
}

it.each([
  ["the default class", [aClass("other", false), aClass("standard", true)], 3, "SandboxClass/standard"],
  ["no class where none is the default", [aClass("other", false)], 4, "Operator"],
])("a Repository shows its settings over those of %s", (_, classes, maxTotalChildSessions, origin) => {
  const { settings, settingOrigins } = inheritedSettings({ maxTotalChildSessions: 4 }, classes, repository).shown;
  expect(settings).toMatchObject({ tunnelPorts: [8000], maxTotalChildSessions });
  expect(settingOrigins).toContainEqual({ name: "tunnelPorts", origin: "Repository/web" });
  expect(settingOrigins).toContainEqual({ name: "maxTotalChildSessions", origin });
});
