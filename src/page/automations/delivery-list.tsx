import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { api, bodyOf, type Delivery, type Filter } from "../api.ts";
import { Badge } from "../parts/badge.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { useLoaded } from "../parts/load.ts";
import { Empty, Show } from "../parts/states.tsx";
import { Untrusted } from "../parts/text.tsx";
import { When } from "../parts/time.tsx";
import { FilterTester } from "./filter-tester.tsx";

const shownAtFirst = 10;

/** The last deliveries and what became of each. `filters`: those of a webhook, for a try of a body that was kept. */
export function DeliveryList({ id, filters }: { id: string; filters: readonly Filter[] | undefined }): JSX.Element {
  const { loaded, reload } = useLoaded(`deliveries ${id}`, (signal) =>
    bodyOf(api.GET("/automations/{id}/deliveries", { params: { path: { id } }, signal })),
  );
  const [showsAll, setShowsAll] = useState(false);
  const [tried, setTried] = useState<string>();
  return (
    <Show loaded={loaded} what="deliveries" reload={reload}>
      {({ deliveries, refusals }) => (
        <>
          {deliveries.length === 0 ? (
            <Empty>No delivery with the right key has come yet.</Empty>
          ) : (
            <DeliveryTable
              deliveries={showsAll ? deliveries : deliveries.slice(0, shownAtFirst)}
              onTry={filters && setTried}
            />
          )}
          {deliveries.length > shownAtFirst && !showsAll && (
            <button type="button" class="small" onClick={() => setShowsAll(true)}>
              Show all {deliveries.length}
            </button>
          )}
          {refusals.length > 0 && (
            <p class="hint">
              Refused before a key had matched:{" "}
              {refusals.map(({ reason, count, lastAt }, index) => (
                <span key={reason}>
                  {index > 0 && ", "}
                  {reason} {count}× (<When at={lastAt} />)
                </span>
              ))}
            </p>
          )}
          {filters && tried !== undefined && (
            <Dialog title="Try this payload" onClose={() => setTried(undefined)}>
              <FilterTester filters={filters} isPaused={false} payload={tried} />
              <button type="button" onClick={() => setTried(undefined)}>
                Close
              </button>
            </Dialog>
          )}
        </>
      )}
    </Show>
  );
}

function DeliveryTable({
  deliveries,
  onTry,
}: {
  deliveries: readonly Delivery[];
  onTry: ((body: string) => void) | undefined;
}): JSX.Element {
  return (
    <div class="scroll">
      <table class="cards">
        <caption class="hidden">Deliveries, newest first</caption>
        <thead>
          <tr>
            <th scope="col">Received</th>
            <th scope="col">Decision</th>
            <th scope="col">Answer</th>
            <th scope="col">Why</th>
            <th scope="col">Body</th>
          </tr>
        </thead>
        <tbody>
          {deliveries.map(({ id, receivedAt, decision, httpStatus, message, bodyBytes, body }) => (
            <tr key={id}>
              <th scope="row">
                <When at={receivedAt} />
              </th>
              <td data-label="Decision">
                <Badge word={decision} />
              </td>
              <td data-label="Answer">{httpStatus}</td>
              <td data-label="Why" class="wide">
                <Untrusted text={message} />
              </td>
              <td data-label="Body" class="short">
                {bodyBytes.toLocaleString("en")} bytes{" "}
                {body !== null && onTry && (
                  <button type="button" class="small" onClick={() => onTry(body)}>
                    Try
                  </button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
