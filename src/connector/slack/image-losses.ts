import { imageLimits } from "../../api/v1alpha1/index.ts";
import type { DownloadLoss } from "./download.ts";

/** Why an image is not part of a request. */
export type ImageLoss = DownloadLoss | "tooMany" | "noImage" | "noRoom";

const reasons: Readonly<Record<ImageLoss, string>> = {
  tooMany: `over the ${imageLimits.perPrompt} that a request may have`,
  tooLarge: "larger than 10 MiB",
  elsewhere: "not stored in Slack",
  withheld: "that Slack did not give (the app needs the permission files:read)",
  noImage: "whose content is no PNG, JPEG, WebP or GIF",
  noRoom: "for which there is no room",
};

/** What a person reads of images that are left out; undefined where there are none. */
export function lossNote(losses: readonly ImageLoss[]): string | undefined {
  if (losses.length === 0) return undefined;
  const counted = Object.entries(reasons).flatMap(([loss, reason]) => {
    const count = losses.filter((one) => one === loss).length;
    return count === 0 ? [] : [`${count} ${reason}`];
  });
  return `Images that are left out: ${counted.join(", ")}.`;
}
