import type { Group } from "../support/attempt.ts";
import { archives } from "./archives.ts";
import { cluster } from "./cluster.ts";
import { ends } from "./ends.ts";
import { gateway } from "./gateway.ts";
import { inside } from "./inside.ts";
import { people } from "./people.ts";
import { afterHooks, hooks, repository } from "./repository.ts";
import { revoked } from "./revoked.ts";
import { senders } from "./senders.ts";
import { socket } from "./socket.ts";

/** All attempts that are tried on a cluster, in their order. */
export const groups: readonly Group[] = [
  inside,
  socket,
  hooks,
  repository,
  afterHooks,
  archives,
  cluster,
  people,
  senders,
  gateway,
  ends,
  revoked,
];
