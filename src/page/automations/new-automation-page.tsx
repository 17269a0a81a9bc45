import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Choice, Field } from "../parts/field.tsx";
import { YamlCard } from "../parts/yaml-card.tsx";
import { useNamespace } from "../shell/namespace.tsx";
import { type AutomationForm, automationManifest } from "./automation-manifest.ts";
import { automationProblems } from "./automation-problems.ts";
import { filterOf, filterProblem } from "./filter-value.ts";
import { FilterFields } from "./filter-fields.tsx";
import { FilterTester } from "./filter-tester.tsx";

const types = [
  ["Webhook", "Webhook"],
  ["Schedule", "Schedule"],
  ["Manual", "Manual"],
] as const;

const labels = {
  name: "Name",
  namespace: "Namespace",
  displayName: "Display name",
  instructions: "Instructions",
  repository: "Repository",
  serviceAccountName: "ServiceAccount",
  cron: "Cron",
  timeZone: "Time zone",
  filters: "Filters",
} as const;
type TextField = Exclude<keyof typeof labels, "filters">;
const fields = Object.keys(labels) as (keyof typeof labels)[];

/** A form that writes the YAML of an automation: creating one stays in Git. */
export function NewAutomationPage(): JSX.Element {
  const { namespace } = useNamespace();
  const [form, setForm] = useState<AutomationForm>({
    name: "my-automation",
    namespace,
    displayName: "",
    instructions: "",
    repository: "",
    serviceAccountName: "",
    type: "Webhook",
    cron: "0 6 * * 1-5",
    timeZone: "",
    filters: [],
  });
  const change = (changed: Partial<AutomationForm>): void => setForm((before) => ({ ...before, ...changed }));
  const problems = automationProblems(form);
  const usable = form.filters.filter((filter) => filterProblem(filter) === undefined).map(filterOf);
  const refused = fields.filter((field) => problems[field] !== undefined).map((field) => labels[field]);
  const areFiltersRefused = form.type === "Webhook" && usable.length < form.filters.length;
  const textField = (field: TextField, rows?: number): JSX.Element => (
    <Field
      label={labels[field]}
      value={form[field]}
      problem={problems[field]}
      {...(rows !== undefined && { rows })}
      onChange={(text) => change({ [field]: text })}
    />
  );
  return (
    <>
      <p class="path">
        <a href="/automations">Automations</a>
      </p>
      <h1>New automation</h1>
      <p class="hint">
        Automations live in Git or are applied with kubectl; this form only writes the YAML, and nothing is sent.
        Another form writes <a href="/new-secret">the YAML of a Secret</a>.
      </p>
      <div class="two">
        <form onSubmit={(event) => event.preventDefault()}>
          {textField("name")}
          {textField("namespace")}
          {textField("displayName")}
          {textField("instructions", 5)}
          {textField("repository")}
          {textField("serviceAccountName")}
          <Choice label="Trigger" value={form.type} choices={types} onChange={(type) => change({ type })} />
          {form.type === "Schedule" && (
            <>
              {textField("cron")}
              {textField("timeZone")}
            </>
          )}
          {form.type === "Webhook" && (
            <FilterFields
              filters={form.filters}
              problem={problems.filters}
              onChange={(filters) => change({ filters })}
            />
          )}
        </form>
        <YamlCard
          shown={automationManifest(form)}
          refused={areFiltersRefused && problems.filters === undefined ? [...refused, labels.filters] : refused}
        />
      </div>
      {form.type === "Webhook" && (
        <section>
          <h2>Try a payload</h2>
          <FilterTester filters={usable} isPaused={false} />
        </section>
      )}
    </>
  );
}
