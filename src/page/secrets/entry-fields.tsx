import type { JSX } from "preact";
import { Field, FieldProblem } from "../parts/field.tsx";
import type { SecretEntry } from "./secret-manifest.ts";
import type { SecretProblems } from "./secret-problems.ts";

/** The keys and values of a scope in a form. */
export function EntryFields({
  entries,
  problems,
  onChange,
}: {
  entries: readonly SecretEntry[];
  problems: SecretProblems;
  onChange: (entries: readonly SecretEntry[]) => void;
}): JSX.Element {
  const change = (index: number, changed: Partial<SecretEntry>): void =>
    onChange(entries.map((entry, at) => (at === index ? { ...entry, ...changed } : entry)));
  return (
    <fieldset>
      <legend>Variables</legend>
      {entries.map(({ key, value }, index) => (
        <div class="entry" key={index}>
          <Field
            label={`Key ${index + 1}`}
            value={key}
            problem={problems.entries[index]?.key}
            onChange={(text) => change(index, { key: text })}
          />
          <Field
            label={`Value ${index + 1}`}
            value={value}
            problem={problems.entries[index]?.value}
            isSecret
            onChange={(text) => change(index, { value: text })}
          />
          <button
            type="button"
            class="small"
            aria-label={`Remove variable ${index + 1}`}
            onClick={() => onChange(entries.filter((_, at) => at !== index))}
          >
            ×
          </button>
        </div>
      ))}
      <FieldProblem problem={problems.fields.entries} />
      <button type="button" class="small" onClick={() => onChange([...entries, { key: "", value: "" }])}>
        Add a variable
      </button>
    </fieldset>
  );
}
