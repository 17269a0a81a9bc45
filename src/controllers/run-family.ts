import type { Run } from "../api/v1alpha1/run.ts";
import type { Session } from "../api/v1alpha1/session.ts";
import { indexNames, type KindInformers, uidKeyOf } from "./kind-informers.ts";

/** The Sessions that a Run has made, and those that agents have started in them, at every depth: all go with the Run. */
export function familyOf({ sessions }: { sessions: Pick<KindInformers["sessions"], "byIndex"> }, run: Run): Session[] {
  const family = new Set(sessions.byIndex(indexNames.runUid, uidKeyOf(run)));
  // The loop comes to what is added meanwhile, and to nothing twice.
  for (const session of family) {
    for (const child of sessions.byIndex(indexNames.parentUid, uidKeyOf(session))) family.add(child);
  }
  return [...family];
}
