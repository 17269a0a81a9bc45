import type { Group } from "../support/attempt.ts";
import { hostileArchives } from "../support/archives.ts";

const odd = ["symbolic links out of it", "hard links", "a FIFO"];

export const archives: Group = {
  title: "what is saved and restored: it does not get out by",
  file: "groups/archives.ts",
  attempts: [
    ...odd
      .flatMap((what) => ["workspace", "home"].map((where) => `save and restore ${what}, in the ${where}`))
      .map((name) => ({
        name,
        outcome: "as it was",
      })),
    { name: "save an archive of its own in the workspace's place", counted: "gateway AgentMalformed" },
    ...Object.keys(hostileArchives).map((name) => ({ name, counted: "gateway AgentArchiveRefused" })),
  ],
  run: ({ archivists }) => archivists.attempts(),
};
