import { z } from "zod";

import { type Automation, type Integration, type SlackEvent, SlackTrigger } from "../../api/v1alpha1/index.ts";
import { pausedBecause } from "../../domain/deliveries/not-started.ts";
import { Refusal } from "../../domain/deliveries/refusal.ts";
import { readChannelMessage } from "../../domain/integrations/slack-message.ts";
import { isReply, messageKey, messageMismatch } from "../../domain/integrations/slack-wanted.ts";
import { keyedRunName } from "../../domain/object-names.ts";
import { CliError } from "../cli-error.ts";
import { type Explanation, readPayload } from "./explanation.ts";

/** Largest body of Slack's that the ingress reads: 1 MiB. */
const longestBytes = 1_048_576;

const OfTeam = z.object({ team_id: z.string() });

/** Decides on a message as ingress and connector do; what the connector alone knows is named in the message. @throws CliError */
export function explainSlack(
  automation: Automation,
  body: Uint8Array,
  { integration }: { integration?: Integration | undefined },
): Explanation {
  const trigger = triggerOf(automation);
  const payload = readPayload(body, longestBytes);
  if (!("value" in payload)) return payload;
  const read = readMessage(payload.value, trigger);
  if ("decision" in read) return read;
  const problem = otherWorkspace(payload.value, integration) ?? messageMismatch(read, trigger);
  return { ...decisionOn(automation, problem, { event: read, trigger }), ...keyOfRun(automation, messageKey(read)) };
}

function triggerOf({ metadata, spec }: Automation): SlackTrigger {
  const { data, error } = SlackTrigger.safeParse(spec.trigger.slack);
  if (data) return data;
  throw new CliError(
    `Automation ${metadata.name ?? ""}: spec.trigger.slack cannot be read:\n${z.prettifyError(error)}`,
  );
}

function readMessage(
  value: unknown,
  { channels }: SlackTrigger,
): SlackEvent | Pick<Explanation, "decision" | "message"> {
  try {
    const read = readChannelMessage(value, new Set(channels));
    return typeof read === "string" ? { decision: "Filtered", message: read } : read;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { decision: "InvalidPayload", message: error.message };
  }
}

function otherWorkspace(value: unknown, integration: Integration | undefined): string | undefined {
  const wanted = integration?.spec.slack?.teamID;
  const { data } = OfTeam.safeParse(value);
  if (wanted === undefined || data?.team_id === wanted) return undefined;
  const name = integration?.metadata.name ?? "";
  return `The event is of workspace ${data?.team_id ?? "unknown"}, and Integration ${name} is for ${wanted}`;
}

function decisionOn(
  automation: Automation,
  problem: string | undefined,
  { event, trigger }: { event: SlackEvent; trigger: SlackTrigger },
): Pick<Explanation, "decision" | "message"> {
  const paused = pausedBecause(automation);
  if (paused !== undefined) return { decision: "Paused", message: paused };
  const reply = isReply(event) ? "; in the thread of a Run it would go to the Run's session instead" : "";
  if (problem !== undefined) return { decision: "Filtered", message: `${problem}${reply}` };
  const who = trigger.from === "Listed" ? `, if ${event.actor?.id ?? ""} is in the Integration's access` : "";
  return { decision: "Started", message: `The message matches; a Run would start${who}${reply}` };
}

function keyOfRun({ metadata }: Automation, idempotencyKey: string): Pick<Explanation, "idempotencyKey" | "runName"> {
  const { name = "", uid } = metadata;
  return { idempotencyKey, ...(uid !== undefined && { runName: keyedRunName({ name, uid }, idempotencyKey) }) };
}
