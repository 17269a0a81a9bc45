import type { JSX } from "preact";

interface DayChartProps<Day> {
  title: string;
  /** What is counted, in the plural, such as `Sessions`. */
  unit: string;
  /** What opens the table. */
  numbers: string;
  days: readonly Day[];
  countOf: (day: Day) => number;
  /** Further columns of the table. */
  more: readonly (readonly [name: string, shown: (day: Day) => string])[];
}

const height = 40;
/** Of a day's bar and the gap after it. */
const [bar, step] = [8, 10];

/** A number of each day as bars, with a table of the same. Days are those of UTC. */
export function DayChart<Day extends { date: string }>(props: DayChartProps<Day>): JSX.Element {
  const { title, unit, numbers, days, countOf, more } = props;
  const most = Math.max(1, ...days.map(countOf));
  return (
    <section>
      <h2>{title}</h2>
      <svg
        class="days"
        viewBox={`0 0 ${days.length * step} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${unit} of ${days.length} days, at most ${most} a day; the table has the numbers`}
      >
        {days.map((day, index) => {
          const tall = (countOf(day) / most) * height;
          return (
            <rect key={day.date} class="bar-fill" x={index * step} y={height - tall} width={bar} height={tall}>
              <title>{`${day.date}: ${countOf(day)}`}</title>
            </rect>
          );
        })}
      </svg>
      <p class="hint ends">
        <span>{days[0]?.date}</span>
        <span>{days.at(-1)?.date}</span>
      </p>
      <details>
        <summary>{numbers}</summary>
        <table class="numbers">
          <caption class="hidden">{title}</caption>
          <thead>
            <tr>
              <th scope="col">Day (UTC)</th>
              <th scope="col">{unit}</th>
              {more.map(([name]) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {days.map((day) => (
              <tr key={day.date}>
                <th scope="row">{day.date}</th>
                <td>{countOf(day).toLocaleString("en")}</td>
                {more.map(([name, shown]) => (
                  <td key={name}>{shown(day)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </section>
  );
}
