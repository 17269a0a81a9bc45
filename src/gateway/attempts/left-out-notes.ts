import { EventsLeftOut } from "../../api/runtime/events-left-out.ts";
import { annotations } from "../../api/v1alpha1/names.ts";
import type { Lease } from "../../kube/core-resources.ts";
import { parseJson } from "../http/parse-json.ts";
import type { Notes } from "./silence.ts";

/** That events were left out, where a Lease does not say it or names another cause; how much is used changes no note. */
export function leftOutNotes({ metadata }: Lease, leftOut: EventsLeftOut | undefined): Notes {
  if (!leftOut) return {};
  const noted = parseJson(EventsLeftOut, metadata.annotations?.[annotations.eventsLeftOut] ?? "");
  return noted?.bound === leftOut.bound ? {} : { [annotations.eventsLeftOut]: JSON.stringify(leftOut) };
}
