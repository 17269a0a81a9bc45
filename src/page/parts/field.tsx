import type { JSX } from "preact";
import { useId, useState } from "preact/hooks";

/** A text of a form, with its problem below it once the field was left. */
export function Field({
  label,
  value,
  problem,
  rows,
  isSecret = false,
  isFixed = false,
  onChange,
}: {
  label: string;
  value: string;
  problem?: string | undefined;
  /** Of a text of several lines. */
  rows?: number;
  /** Whether neither the screen shows it nor the browser remembers it. */
  isSecret?: boolean;
  /** Whether it cannot be another one. */
  isFixed?: boolean;
  onChange: (value: string) => void;
}): JSX.Element {
  const id = useId();
  const [wasLeft, setLeft] = useState(false);
  const shown = wasLeft ? problem : undefined;
  const attributes = {
    id,
    value,
    readOnly: isFixed,
    autocomplete: "off" as const,
    "aria-invalid": shown !== undefined,
    "aria-describedby": shown === undefined ? undefined : `${id}-problem`,
    onInput: ({ currentTarget }: { currentTarget: { value: string } }) => onChange(currentTarget.value),
    onBlur: () => setLeft(true),
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {rows === undefined && !isSecret ? (
        <input {...attributes} spellcheck={false} />
      ) : (
        // Browsers offer to remember what an input of type password has.
        <textarea {...attributes} rows={rows ?? 1} spellcheck={!isSecret} class={isSecret ? "secret" : undefined} />
      )}
      <FieldProblem id={`${id}-problem`} problem={shown} />
    </div>
  );
}

/** What is wrong with a field; nothing while nothing is. */
export function FieldProblem({ id, problem }: { id?: string; problem: string | undefined }): JSX.Element | null {
  if (problem === undefined) return null;
  return (
    <p class="row-problem" id={id}>
      {problem}
    </p>
  );
}

/** A choice of a form. */
export function Choice<T extends string>({
  label,
  value,
  choices,
  onChange,
}: {
  label: string;
  value: T;
  /** Each with the words that people read. */
  choices: readonly (readonly [T, string])[];
  onChange: (value: T) => void;
}): JSX.Element {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        value={value}
        onChange={(event) => {
          const chosen = choices.find(([one]) => one === event.currentTarget.value);
          if (chosen) onChange(chosen[0]);
        }}
      >
        {choices.map(([one, words]) => (
          <option key={one} value={one}>
            {words}
          </option>
        ))}
      </select>
    </div>
  );
}
