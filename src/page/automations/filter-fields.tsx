import type { JSX } from "preact";
import { useId } from "preact/hooks";
import type { Filter } from "../api.ts";
import { FieldProblem } from "../parts/field.tsx";
import { filterProblem, type TypedFilter } from "./filter-value.ts";

const operators: readonly Filter["operator"][] = ["eq", "neq", "gt", "gte", "lt", "lte", "contains", "exists"];

/** The filters of a webhook in a form. */
export function FilterFields({
  filters,
  problem,
  onChange,
}: {
  filters: readonly TypedFilter[];
  /** Of the list; each filter has its own. */
  problem: string | undefined;
  onChange: (filters: readonly TypedFilter[]) => void;
}): JSX.Element {
  const change = (index: number, changed: Partial<TypedFilter>): void =>
    onChange(filters.map((filter, at) => (at === index ? { ...filter, ...changed } : filter)));
  return (
    <fieldset>
      <legend>Filters: all of them must match</legend>
      {filters.map((filter, index) => (
        <FilterRow
          key={index}
          filter={filter}
          number={index + 1}
          onChange={(changed) => change(index, changed)}
          onRemove={() => onChange(filters.filter((_, at) => at !== index))}
        />
      ))}
      <FieldProblem problem={problem} />
      <button
        type="button"
        class="small"
        onClick={() => onChange([...filters, { path: "$.status", operator: "eq", typed: "" }])}
      >
        Add a filter
      </button>
    </fieldset>
  );
}

function FilterRow({
  filter,
  number,
  onChange,
  onRemove,
}: {
  filter: TypedFilter;
  number: number;
  onChange: (changed: Partial<TypedFilter>) => void;
  onRemove: () => void;
}): JSX.Element {
  const id = useId();
  const problem = filterProblem(filter);
  const refused = { "aria-invalid": problem !== undefined, "aria-describedby": problem === undefined ? undefined : id };
  return (
    <div class="filter">
      <input
        aria-label={`Path of filter ${number}`}
        {...refused}
        value={filter.path}
        spellcheck={false}
        onInput={(event) => onChange({ path: event.currentTarget.value })}
      />
      <select
        aria-label={`Operator of filter ${number}`}
        value={filter.operator}
        onChange={(event) => onChange({ operator: operators.find((one) => one === event.currentTarget.value) ?? "eq" })}
      >
        {operators.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>
      {filter.operator !== "exists" && (
        <input
          aria-label={`Value of filter ${number}`}
          {...refused}
          value={filter.typed}
          spellcheck={false}
          onInput={(event) => onChange({ typed: event.currentTarget.value })}
        />
      )}
      <button type="button" class="small" aria-label={`Remove filter ${number}`} onClick={onRemove}>
        ×
      </button>
      <FieldProblem id={id} problem={problem} />
    </div>
  );
}
