import type { JSX } from "preact";
import { spaced } from "../parts/badge.tsx";

/** A few numbers as a table whose rows have a bar each. */
export function Bars({
  title,
  head,
  unit,
  rows,
}: {
  title: string;
  /** What the rows are, such as `State`. */
  head: string;
  unit: string;
  rows: readonly (readonly [string, number])[];
}): JSX.Element {
  const most = Math.max(1, ...rows.map(([, count]) => count));
  return (
    <section>
      <h2>{title}</h2>
      <table class="bars">
        <caption class="hidden">{title}</caption>
        <thead class="hidden">
          <tr>
            <th scope="col">{head}</th>
            <td>Bar</td>
            <th scope="col">{unit}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, count]) => (
            <tr key={name}>
              <th scope="row">{spaced(name)}</th>
              <td>
                <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
                  <rect class="bar-fill" width={(count / most) * 100} height="10" />
                </svg>
              </td>
              <td class="number">{count.toLocaleString("en")}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
