import type { JSX } from "preact";
import { useId, useState } from "preact/hooks";
import type { Filter } from "../api.ts";
import { Untrusted } from "../parts/text.tsx";
import { type Trial, tryPayload } from "./try-payload.ts";

/** Says for a payload what the ingress would decide, filter by filter; nothing is sent. */
export function FilterTester({
  filters,
  isPaused,
  payload = "",
}: {
  filters: readonly Filter[];
  isPaused: boolean;
  payload?: string;
}): JSX.Element {
  const id = useId();
  const [text, setText] = useState(payload);
  const trial = text.trim() === "" ? undefined : tryPayload(filters, text);
  return (
    <div class="tester">
      <label for={id}>A payload, as a sender would post it</label>
      <textarea
        id={id}
        rows={6}
        spellcheck={false}
        value={text}
        placeholder='{"status": "firing"}'
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <output for={id}>{trial && <Verdict trial={trial} isPaused={isPaused} />}</output>
      {trial?.findings && trial.findings.length > 0 && <Findings findings={trial.findings} />}
    </div>
  );
}

function Verdict({ trial, isPaused }: { trial: Trial; isPaused: boolean }): JSX.Element {
  const pause = isPaused && trial.starts ? " But the automation is paused, so no run starts now." : "";
  return (
    <p class={trial.starts ? "verdict good" : "verdict bad"}>
      <Untrusted text={`${trial.message}${pause}`} />
    </p>
  );
}

function Findings({ findings }: { findings: NonNullable<Trial["findings"]> }): JSX.Element {
  return (
    <table class="cards">
      <caption class="hidden">Filters</caption>
      <thead>
        <tr>
          <th scope="col">Filter</th>
          <th scope="col">Matches</th>
          <th scope="col">Found</th>
        </tr>
      </thead>
      <tbody>
        {findings.map(({ filter, matches, found }, index) => (
          <tr key={index}>
            <th scope="row">
              <code>
                <Untrusted text={filter} />
              </code>
            </th>
            <td data-label="Matches">{matches ? "yes" : "no"}</td>
            <td data-label="Found" class="wide">
              <Untrusted text={found} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
