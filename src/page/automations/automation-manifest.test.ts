import { expect, it } from "vitest";
import { parse } from "yaml";
import { Automation } from "../../api/v1alpha1/index.ts";
import { type AutomationForm, automationManifest } from "./automation-manifest.ts";

const form: AutomationForm = {
  name: "triage",
  namespace: "demo",
  displayName: "Triage: alerts",
  instructions: "First line\n- not a list\n",
  repository: "checkout",
  serviceAccountName: "runner",
  type: "Webhook",
  cron: "0 6 * * 1-5",
  timeZone: "",
  filters: [
    { path: "$.count", operator: "gte", typed: "3" },
    { path: "$.note", operator: "eq", typed: "true" },
    { path: "$.note", operator: "exists", typed: "ignored" },
  ],
};

it("writes YAML that the API takes, numbers as numbers", () => {
  const object: unknown = parse(automationManifest(form));
  expect(Automation.schema.safeParse(object).error).toBeUndefined();
  expect(object).toMatchObject({
    metadata: { name: "triage", namespace: "demo" },
    spec: {
      displayName: "Triage: alerts",
      instructions: "First line\n- not a list\n",
      targets: [{ repositoryRef: { name: "checkout" } }],
      trigger: {
        webhook: {
          filters: [
            { path: "$.count", operator: "gte", value: 3 },
            { path: "$.note", operator: "eq", value: "true" },
            { path: "$.note", operator: "exists" },
          ],
        },
      },
    },
  });
});

it("quotes words that kubectl would take for truth values", () => {
  const text = automationManifest({ ...form, displayName: "on", instructions: "no", repository: "" });
  expect(parse(text, { version: "1.1" })).toMatchObject({ spec: { displayName: "on", instructions: "no" } });
});

it.each(["Schedule", "Manual"] as const)("writes a trigger of type %s", (type) => {
  const object: unknown = parse(automationManifest({ ...form, type, timeZone: "Europe/Paris" }));
  expect(Automation.schema.safeParse(object).error).toBeUndefined();
});
