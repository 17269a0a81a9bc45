import { expect, it } from "vitest";
import { parse } from "yaml";
import { Automation } from "../../api/v1alpha1/index.ts";
import { type AutomationForm, automationManifest } from "./automation-manifest.ts";
import { automationProblems } from "./automation-problems.ts";
import { filterProblem, type TypedFilter } from "./filter-value.ts";

const good: AutomationForm = {
  name: "triage",
  namespace: "demo",
  displayName: "",
  instructions: "Do it.",
  repository: "",
  serviceAccountName: "runner",
  type: "Webhook",
  cron: "0 6 * * 1-5",
  timeZone: "",
  filters: [],
};
const schedule = { type: "Schedule" } as const;
const filter = { path: "$.a", operator: "eq", typed: "x" } as const;

const forms: [Partial<AutomationForm>, string[]][] = [
  [{}, []],
  [{ name: "a".repeat(63) }, []],
  [{ name: "a".repeat(64) }, ["name"]],
  [{ name: "" }, ["name"]],
  [{ name: "My" }, ["name"]],
  [{ name: "a.b" }, ["name"]],
  [{ namespace: "" }, []],
  [{ namespace: "-" }, ["namespace"]],
  [{ namespace: "n".repeat(63) }, []],
  [{ namespace: "n".repeat(64) }, ["namespace"]],
  [{ displayName: "d".repeat(200) }, []],
  [{ displayName: "d".repeat(201) }, ["displayName"]],
  [{ displayName: " \t" }, ["displayName"]],
  [{ instructions: "" }, ["instructions"]],
  [{ instructions: " \n" }, ["instructions"]],
  [{ instructions: "i" }, []],
  [{ instructions: "i".repeat(15_000) }, []],
  [{ instructions: "i".repeat(15_001) }, ["instructions"]],
  [{ repository: "checkout" }, []],
  [{ repository: "acme/checkout" }, ["repository"]],
  [{ serviceAccountName: "" }, ["serviceAccountName"]],
  [{ serviceAccountName: "default" }, ["serviceAccountName"]],
  [{ serviceAccountName: "system:node" }, ["serviceAccountName"]],
  [{ serviceAccountName: "a".repeat(253) }, []],
  [{ serviceAccountName: "a".repeat(254) }, ["serviceAccountName"]],
  [{ ...schedule }, []],
  [{ ...schedule, cron: "" }, ["cron"]],
  [{ ...schedule, cron: "@daily" }, ["cron"]],
  [{ ...schedule, cron: "0 6 * *" }, ["cron"]],
  [{ ...schedule, cron: "60 6 * * *" }, ["cron"]],
  [{ ...schedule, cron: "0 6 30 2 *" }, ["cron"]],
  [{ ...schedule, cron: "*/15 * * * *" }, []],
  [{ ...schedule, cron: "*/14 * * * *" }, ["cron"]],
  [{ ...schedule, cron: `${"0,".repeat(123)}00 6 * * *` }, []],
  [{ ...schedule, cron: `${"0,".repeat(124)}0 6 * * *` }, ["cron"]],
  [{ ...schedule, timeZone: "Europe/Paris" }, []],
  [{ ...schedule, timeZone: "Europe/Lutetia" }, ["timeZone"]],
  [{ ...schedule, timeZone: "+02:00" }, ["timeZone"]],
  [{ ...schedule, timeZone: "Local" }, ["timeZone"]],
  [{ cron: "@daily", timeZone: "Mars" }, []],
  [{ filters: Array.from({ length: 64 }, () => filter) }, []],
  [{ filters: Array.from({ length: 65 }, () => filter) }, ["filters"]],
  [{ type: "Manual", filters: Array.from({ length: 65 }, () => filter) }, []],
  [{ name: "", instructions: "", serviceAccountName: "" }, ["name", "instructions", "serviceAccountName"]],
];

/** What begins a title. */
const shortened = (value: object): string => JSON.stringify(value).slice(0, 60);

it.each(forms.map(([changed, want]) => [shortened(changed), want, changed] as const))(
  "of %s refuses %j, as the schema does",
  (_name, want, changed) => {
    const form = { ...good, ...changed };
    expect(Object.keys(automationProblems(form))).toEqual(want);
    const { data } = Automation.schema.safeParse(parse(automationManifest(form)));
    // The schema knows nothing of names of objects.
    const ofNames = want.filter((field) => field === "name" || field === "namespace");
    expect(data === undefined).toBe(want.length > ofNames.length);
  },
);

const filters: [TypedFilter, string | undefined][] = [
  [{ path: "$.a", operator: "eq", typed: "x" }, undefined],
  [{ path: "$.a", operator: "eq", typed: "v".repeat(4_096) }, undefined],
  [{ path: "$.a", operator: "eq", typed: "v".repeat(4_097) }, "value"],
  [{ path: `$.${"p".repeat(1_022)}`, operator: "eq", typed: "x" }, undefined],
  [{ path: `$.${"p".repeat(1_023)}`, operator: "eq", typed: "x" }, "path"],
  [{ path: "$.a\u0007", operator: "eq", typed: "x" }, "path"],
  [{ path: "a", operator: "exists", typed: "" }, "path"],
  [{ path: "", operator: "exists", typed: "" }, "path"],
  [{ path: "$.a", operator: "exists", typed: "" }, undefined],
  [{ path: "$.a", operator: "gte", typed: "x" }, "value"],
  [{ path: "$.a", operator: "gte", typed: "3" }, undefined],
  [{ path: "$.a", operator: "contains", typed: "3" }, undefined],
];

it.each(filters.map(([one, want]) => [shortened(one), want, one] as const))(
  "of the filter %s refuses its %s, as the schema does",
  (_name, want, one) => {
    expect(filterProblem(one)?.split(" ")[0]).toBe(want);
    const { data } = Automation.schema.safeParse(parse(automationManifest({ ...good, filters: [one] })));
    expect(data === undefined).toBe(want !== undefined);
  },
);
