import type { JSX } from "preact";
import type { Breakdown } from "../api.ts";
import { shownDuration } from "../parts/relative-time.ts";
import { Untrusted } from "../parts/text.tsx";
import { MaybeWhen } from "../parts/time.tsx";
import { shownUsd } from "../sessions/money.ts";
import { shownRate } from "./rate.ts";

/** Figures by person, repository or automation. */
export function BreakdownTable({ breakdown: { entries, hasMore } }: { breakdown: Breakdown }): JSX.Element {
  return (
    <>
      <div class="scroll">
        <table class="cards">
          <caption class="hidden">Figures by group, most sessions first</caption>
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Sessions</th>
              <th scope="col">Completed</th>
              <th scope="col">Prompts</th>
              <th scope="col">Cost</th>
              <th scope="col">Duration</th>
              <th scope="col">Last active</th>
            </tr>
          </thead>
          <tbody>
            {entries.map((entry) => (
              <tr key={`${entry.namespace ?? ""} ${entry.key ?? ""}`}>
                <th scope="row">
                  <Untrusted text={entry.displayName} />
                  {entry.namespace !== null && <span class="faint"> in {entry.namespace}</span>}
                </th>
                <td data-label="Sessions">{entry.sessions.toLocaleString("en")}</td>
                <td data-label="Completed">{shownRate(entry.completionRate)}</td>
                <td data-label="Prompts">{entry.messageCount.toLocaleString("en")}</td>
                <td data-label="Cost">{shownUsd(entry.costUsd)}</td>
                <td data-label="Duration" class="short">
                  {entry.avgDurationMs === null ? "–" : shownDuration(entry.avgDurationMs)}
                </td>
                <td data-label="Last active">
                  <MaybeWhen at={entry.lastActiveAt} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {hasMore && <p class="hint">The groups with fewer sessions are left out.</p>}
    </>
  );
}
