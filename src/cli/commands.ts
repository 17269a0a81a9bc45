import { automations } from "./automations.ts";
import type { Command } from "./command.ts";
import { cancel } from "./cancel.ts";
import { deliveries } from "./deliveries-command.ts";
import { explain } from "./explain-command.ts";
import { keyCurl } from "./key-curl.ts";
import { keyCreate, keyRegenerate } from "./key-issue.ts";
import { pause } from "./pause.ts";
import { prompt } from "./prompt-command.ts";
import { replay } from "./replay-command.ts";
import { resume } from "./resume.ts";
import { runs } from "./runs.ts";
import { sessionLogs } from "./session-logs.ts";
import { sessionTunnel } from "./session-tunnel.ts";
import { settings } from "./settings.ts";
import { stop } from "./stop.ts";
import { trigger } from "./trigger.ts";

/** All that `kubectl runwright` can do, in the order of its help. */
export const commands: readonly Command[] = [
  automations,
  runs,
  trigger,
  pause,
  resume,
  prompt,
  cancel,
  stop,
  sessionLogs,
  sessionTunnel,
  settings,
  deliveries,
  explain,
  replay,
  keyCreate,
  keyRegenerate,
  keyCurl,
];
