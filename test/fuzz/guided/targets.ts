import { bodyTargets } from "./targets/bodies.ts";
import { mediaTargets } from "./targets/media.ts";
import { requestTargets } from "./targets/requests.ts";
import { sandboxTargets } from "./targets/sandboxes.ts";
import { scheduleTargets } from "./targets/schedules.ts";
import { slackTargets } from "./targets/slack.ts";
import type { Target } from "./target.ts";

/** Everything that reads what strangers, agents and people write. */
export const targets: readonly Target[] = [
  ...requestTargets,
  ...bodyTargets,
  ...slackTargets,
  ...sandboxTargets,
  ...mediaTargets,
  ...scheduleTargets,
];
