import type { JSX } from "preact";

/** One number with its name, in a list of class `figures`. */
export function Figure({ name, value }: { name: string; value: string }): JSX.Element {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
