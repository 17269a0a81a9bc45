import type { JSX } from "preact";
import { useId, useState } from "preact/hooks";
import { Copy } from "../parts/copy.tsx";
import { useNamespace } from "../shell/namespace.tsx";
import { type AutomationForm, automationManifest } from "./automation-manifest.ts";
import { filterOf, filterProblem } from "./filter-value.ts";
import { FilterFields } from "./filter-fields.tsx";
import { FilterTester } from "./filter-tester.tsx";

const types = ["Webhook", "Schedule", "Manual"] as const;

/** A form that writes the YAML of an automation: creating one stays in Git. */
export function NewAutomationPage(): JSX.Element {
  const { namespace } = useNamespace();
  const [form, setForm] = useState<AutomationForm>({
    name: "my-automation",
    namespace,
    displayName: "",
    instructions: "",
    repository: "",
    serviceAccountName: "default",
    type: "Webhook",
    cron: "0 6 * * 1-5",
    timeZone: "",
    filters: [],
  });
  const change = (changed: Partial<AutomationForm>): void => setForm((before) => ({ ...before, ...changed }));
  const yaml = automationManifest(form);
  const usable = form.filters.filter((filter) => filterProblem(filter) === undefined).map(filterOf);
  return (
    <>
      <p class="path">
        <a href="/automations">Automations</a>
      </p>
      <h1>New automation</h1>
      <p class="hint">
        Automations live in Git or are applied with kubectl; this form only writes the YAML, and nothing is sent.
      </p>
      <div class="two">
        <form onSubmit={(event) => event.preventDefault()}>
          <Field label="Name" value={form.name} onChange={(name) => change({ name })} />
          <Field label="Namespace" value={form.namespace} onChange={(one) => change({ namespace: one })} />
          <Field label="Display name" value={form.displayName} onChange={(displayName) => change({ displayName })} />
          <Field
            label="Instructions"
            value={form.instructions}
            rows={5}
            onChange={(instructions) => change({ instructions })}
          />
          <Field label="Repository" value={form.repository} onChange={(repository) => change({ repository })} />
          <Field
            label="ServiceAccount"
            value={form.serviceAccountName}
            onChange={(serviceAccountName) => change({ serviceAccountName })}
          />
          <TypeField type={form.type} onChange={(type) => change({ type })} />
          {form.type === "Schedule" && (
            <>
              <Field label="Cron" value={form.cron} onChange={(cron) => change({ cron })} />
              <Field label="Time zone" value={form.timeZone} onChange={(timeZone) => change({ timeZone })} />
            </>
          )}
          {form.type === "Webhook" && (
            <FilterFields filters={form.filters} onChange={(filters) => change({ filters })} />
          )}
        </form>
        <section class="card">
          <h2>YAML</h2>
          <pre class="text" aria-live="polite">
            {yaml}
          </pre>
          <Copy text={yaml}>Copy YAML</Copy>
        </section>
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

function Field({
  label,
  value,
  rows,
  onChange,
}: {
  label: string;
  value: string;
  rows?: number;
  onChange: (value: string) => void;
}): JSX.Element {
  const id = useId();
  return (
    <p class="field">
      <label for={id}>{label}</label>
      {rows === undefined ? (
        <input id={id} value={value} spellcheck={false} onInput={(event) => onChange(event.currentTarget.value)} />
      ) : (
        <textarea id={id} rows={rows} value={value} onInput={(event) => onChange(event.currentTarget.value)} />
      )}
    </p>
  );
}

function TypeField({
  type,
  onChange,
}: {
  type: AutomationForm["type"];
  onChange: (type: AutomationForm["type"]) => void;
}): JSX.Element {
  const id = useId();
  return (
    <p class="field">
      <label for={id}>Trigger</label>
      <select
        id={id}
        value={type}
        onChange={(event) => onChange(types.find((one) => one === event.currentTarget.value) ?? "Webhook")}
      >
        {types.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>
    </p>
  );
}
