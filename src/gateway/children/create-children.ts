import type { KubeClient } from "../../kube/client.ts";
import type { EventRecorder } from "../../kube/event-recorder.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Random } from "../../lib/random.ts";
import type { Logger } from "../../telemetry/logger.ts";
import { Audit } from "../http/audit.ts";
import { LongLists } from "../http/long-lists.ts";
import { PromptEnds } from "../sessions/prompt-ends.ts";
import { PromptRequests } from "../sessions/prompt-requests.ts";
import type { SessionImages } from "../sessions/images/session-images.ts";
import type { SessionView } from "../attempts/session-view.ts";
import { ChildSessions } from "./child-sessions.ts";
import { Spawns } from "./spawns.ts";

interface Deps {
  client: KubeClient;
  clock: Clock;
  random: Random;
  logger: Logger;
  sessions: SessionView;
  images: SessionImages;
  events: Pick<EventRecorder, "record">;
}

/** Milliseconds to wait for the controller's decision; agents have more time than callers of the REST API. */
const decisionMs = 10_000;

/** Assembles child sessions. Their lists have a limit of their own, apart from that of the REST API. */
export function createChildren({ client, clock, random, logger, sessions, images, events }: Deps): ChildSessions {
  const audit = new Audit({ events, logger });
  const lists = new LongLists(client);
  return new ChildSessions({
    client,
    sessions,
    spawns: new Spawns({ client, clock, sessions, decisionMs }),
    requests: new PromptRequests({ client, clock, random, lists, images, audit, decisionMs }),
    ends: new PromptEnds({ client, clock, audit, decisionMs }),
    lists,
  });
}
