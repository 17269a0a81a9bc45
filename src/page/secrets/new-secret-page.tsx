import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { globalSecretName } from "../../api/v1alpha1/secret-scopes.ts";
import { Choice, Field } from "../parts/field.tsx";
import { YamlCard } from "../parts/yaml-card.tsx";
import { useNamespace } from "../shell/namespace.tsx";
import { EntryFields } from "./entry-fields.tsx";
import {
  type SecretForm,
  type SecretUse,
  secretManifest,
  shownSecretManifest,
  withoutSecrets,
} from "./secret-manifest.ts";
import { type SecretProblems, secretProblems } from "./secret-problems.ts";

const uses = [
  ["Variables", "Variables of hooks and agents"],
  ["SigningSecret", "Secret with which a sender signs"],
  ["Token", "Token or key that a sender sends"],
] as const;

const scopes = [
  ["global", "All sessions of the namespace"],
  ["repository", "Sessions on a Repository"],
  ["environment", "Sessions on an Environment"],
] as const;

const schemes = [
  ["no", "GitHub, or with a header of its own"],
  ["yes", "Standard Webhooks"],
] as const;

/** Where a Secret of each use is named. */
const references: Readonly<Record<SecretUse, string>> = {
  Variables: "spec.secretRef of the Repository or Environment names it; the global one needs no reference.",
  SigningSecret: "spec.trigger.webhook.authentication.hmac.secretRef of the Automation names it.",
  Token: "spec.trigger.webhook.keyHashSecretRef of the Automation names it; it holds the hash alone.",
};

/** A form that writes the YAML of a Secret. What is secret is in the form alone, and nowhere once the form is left. */
export function NewSecretPage(): JSX.Element {
  const { namespace } = useNamespace();
  const [form, setForm] = useState<SecretForm>({
    use: "Variables",
    name: "my-secret",
    namespace,
    scope: "global",
    scopeName: "",
    entries: [{ key: "", value: "" }],
    isStandardWebhooks: false,
    secret: "",
  });
  useEffect(() => {
    // A browser may keep a page that was left, to show it again.
    const forget = (): void => setForm(withoutSecrets);
    addEventListener("pagehide", forget);
    return () => removeEventListener("pagehide", forget);
  }, []);
  const problems = secretProblems(form);
  return (
    <>
      <p class="path">
        <a href="/automations">Automations</a>
      </p>
      <h1>New Secret</h1>
      <p class="hint">
        This form only writes the YAML, and nothing is sent. The values are in what is copied, and not in what is shown.
        Do not put them into Git unless they are encrypted: pass the YAML to kubectl apply -f -.
      </p>
      <div class="two">
        <SecretFields
          form={form}
          problems={problems}
          onChange={(changed) => setForm((before) => ({ ...before, ...changed }))}
        />
        <div>
          <YamlCard
            shown={shownSecretManifest(form)}
            copied={() => secretManifest(form)}
            refused={refusedFields(form, problems)}
          />
          <p class="hint">{references[form.use]}</p>
        </div>
      </div>
    </>
  );
}

const scopeNames = { global: "", repository: "Repository", environment: "Environment" } as const;
const secretNames = { Variables: "", SigningSecret: "Signing secret", Token: "Token" } as const;

function SecretFields({
  form,
  problems: { fields, entries: ofEntries },
  onChange,
}: {
  form: SecretForm;
  problems: SecretProblems;
  onChange: (changed: Partial<SecretForm>) => void;
}): JSX.Element {
  const { use, name, namespace, scope, scopeName, entries, isStandardWebhooks, secret } = form;
  const isVariables = use === "Variables";
  const isGlobal = isVariables && scope === "global";
  return (
    <form onSubmit={(event) => event.preventDefault()} autocomplete="off">
      <Choice
        label="For"
        value={use}
        choices={uses}
        // What was typed for one use is no secret of another.
        onChange={(chosen) => onChange({ ...withoutSecrets(form), use: chosen })}
      />
      {isVariables && (
        <Choice
          label="Who gets them"
          value={scope}
          choices={scopes}
          onChange={(chosen) => onChange({ scope: chosen })}
        />
      )}
      {isVariables && !isGlobal && (
        <Field
          label={scopeNames[scope]}
          value={scopeName}
          problem={fields.scopeName}
          onChange={(text) => onChange({ scopeName: text })}
        />
      )}
      <Field
        label="Name"
        value={isGlobal ? globalSecretName : name}
        problem={fields.name}
        isFixed={isGlobal}
        onChange={(text) => onChange({ name: text })}
      />
      <Field
        label="Namespace"
        value={namespace}
        problem={fields.namespace}
        onChange={(text) => onChange({ namespace: text })}
      />
      {isVariables && (
        <EntryFields
          entries={entries}
          problems={{ fields, entries: ofEntries }}
          onChange={(changed) => onChange({ entries: changed })}
        />
      )}
      {use === "SigningSecret" && (
        <Choice
          label="How it signs"
          value={isStandardWebhooks ? "yes" : "no"}
          choices={schemes}
          onChange={(chosen) => onChange({ isStandardWebhooks: chosen === "yes" })}
        />
      )}
      {!isVariables && (
        <Field
          label={secretNames[use]}
          value={secret}
          problem={fields.secret}
          isSecret
          onChange={(text) => onChange({ secret: text })}
        />
      )}
    </form>
  );
}

/** Labels of the fields that would be refused. */
function refusedFields({ use, scope }: SecretForm, { fields, entries }: SecretProblems): string[] {
  const labels = {
    scopeName: scopeNames[scope],
    name: "Name",
    namespace: "Namespace",
    entries: "Variables",
    secret: secretNames[use],
  } as const;
  const refused = (Object.keys(labels) as (keyof typeof labels)[])
    .filter((field) => fields[field] !== undefined)
    .map((field) => labels[field]);
  const ofEntries = entries.flatMap(({ key, value }, index) => [
    ...(key === undefined ? [] : [`Key ${index + 1}`]),
    ...(value === undefined ? [] : [`Value ${index + 1}`]),
  ]);
  return [...refused, ...ofEntries];
}
