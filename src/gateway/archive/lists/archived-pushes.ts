import { z } from "zod";
import { Push } from "../../../api/v1alpha1/outcome.ts";

const Pushes = z.array(Push);

/** What a Run's row says of pushes; none where it says nothing, or what no result can say. */
export function archivedPushes(stored: string | null | undefined): Push[] {
  try {
    return Pushes.parse(JSON.parse(stored ?? "[]"));
  } catch {
    return [];
  }
}
