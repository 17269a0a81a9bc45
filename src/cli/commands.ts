import { analytics } from "./commands/analytics.ts";
import { automations } from "./commands/automations.ts";
import type { Command } from "./command.ts";
import { cancel } from "./commands/cancel.ts";
import { completion } from "./commands/completion.ts";
import { deliveries } from "./commands/deliveries.ts";
import { explain } from "./commands/explain.ts";
import { imageBuild } from "./commands/image-build.ts";
import { imageLogs } from "./commands/image-logs.ts";
import { imageStatus } from "./commands/image-status.ts";
import { integrationTest } from "./commands/integration-test.ts";
import { integrations } from "./commands/integrations.ts";
import { keyCurl } from "./commands/key-curl.ts";
import { keyCreate, keyRegenerate } from "./commands/key-issue.ts";
import { keySet } from "./commands/key-set.ts";
import { media } from "./commands/media.ts";
import { pause } from "./commands/pause.ts";
import { prompt } from "./commands/prompt.ts";
import { pullRequestCreate } from "./commands/pull-request-create.ts";
import { replay } from "./commands/replay.ts";
import { resume } from "./commands/resume.ts";
import { runs } from "./commands/runs.ts";
import { sessionCancel } from "./commands/session-cancel.ts";
import { sessionCreate } from "./commands/session-create.ts";
import { sessionLogs } from "./commands/session-logs.ts";
import { sessionTunnel } from "./commands/session-tunnel.ts";
import { settings } from "./commands/settings.ts";
import { skillCheck } from "./commands/skill-check.ts";
import { skillPreview } from "./commands/skill-preview.ts";
import { skillRender } from "./commands/skill-render.ts";
import { skills } from "./commands/skills.ts";
import { stop } from "./commands/stop.ts";
import { trigger } from "./commands/trigger.ts";
import { ui } from "./commands/ui.ts";
import { version } from "./commands/version.ts";

/** The commands of `kubectl runwright`, in the order of its help. */
export const commands: readonly Command[] = [
  automations,
  runs,
  trigger,
  pause,
  resume,
  sessionCreate,
  prompt,
  cancel,
  stop,
  sessionCancel,
  sessionLogs,
  media,
  sessionTunnel,
  pullRequestCreate,
  ui,
  settings,
  imageBuild,
  imageStatus,
  imageLogs,
  skills,
  skillRender,
  skillCheck,
  skillPreview,
  analytics,
  deliveries,
  explain,
  replay,
  keyCreate,
  keyRegenerate,
  keySet,
  keyCurl,
  integrations,
  integrationTest,
  version,
  completion,
];
