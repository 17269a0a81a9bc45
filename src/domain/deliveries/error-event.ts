import { z } from "zod";
import type { ErrorTracker } from "../../api/v1alpha1/index.ts";
import { countCharacters, firstCharacters } from "../../lib/characters.ts";
import { longestPayloadBytes } from "./payload.ts";

/** One event of an error tracker. */
export interface ErrorEvent {
  type: ErrorTracker["events"][number];
  /** The identity of the event: a second delivery of it starts no Run. */
  triggerKey: string;
  /** Absent where the event belongs to no project. */
  project: string | undefined;
  level: string | undefined;
  /** What the agent sees of it: as JSON not longer than a payload may be. */
  shown: Shown;
}

interface Shown {
  tags?: readonly object[] | undefined;
  [detail: string]: unknown;
}

/** Longest body of an error tracker's delivery, in bytes: 256 KB. */
export const longestEventBytes = 262_144;

const shownFrames = 5;
const shownTags = 50;

const id = z.union([z.string().min(1).max(100), z.number().int().nonnegative()]).transform(String);
const shown = (characters: number) =>
  z
    .string()
    .transform((text) => firstCharacters(text, characters))
    .optional()
    .catch(undefined);
const line = shown(500);

const Frame = z.object({ filename: line, function: line, lineno: z.number().optional().catch(undefined) });
const Exception = z.object({ stacktrace: z.object({ frames: z.array(Frame) }) });
const Tag = z.tuple([z.string(), z.string()]).transform(([key, value]) => ({
  key: firstCharacters(key, 100),
  value: firstCharacters(value, 200),
}));

/** What only some trackers and versions send along; what cannot be read is left out. */
const details = {
  exception: z
    .object({ values: z.array(Exception.optional().catch(undefined)) })
    .optional()
    .catch(undefined),
  tags: z.array(Tag).optional().catch(undefined),
};
const Details = z.object(details);
const metadata = z.object({ type: line }).optional().catch(undefined);

const Issue = z.object({
  id,
  title: line,
  culprit: line,
  level: shown(50),
  permalink: shown(2_048),
  web_url: shown(2_048),
  firstSeen: shown(50),
  lastSeen: z.string().max(50).optional().catch(undefined),
  substatus: shown(50),
  project: z
    .object({ slug: z.string().max(100) })
    .optional()
    .catch(undefined),
  metadata,
  stats: z
    .object({ "24h": z.array(z.tuple([z.number(), z.number()])) })
    .optional()
    .catch(undefined),
});
type Issue = z.infer<typeof Issue>;

const IssueBody = z.object({
  action: z.string(),
  data: z.object({ issue: Issue, event: Details.optional().catch(undefined) }),
});

/** An error that triggered an alert rule. Its project has a number there, and its slug only in the address of the error. */
const IssueAlertBody = z.object({
  action: z.literal("triggered"),
  data: z.object({
    event: z.object({
      event_id: id,
      url: z.string().optional().catch(undefined),
      title: line,
      culprit: line,
      level: shown(50),
      web_url: shown(2_048),
      datetime: shown(50),
      metadata,
      ...details,
    }),
    triggered_rule: z.string(),
  }),
});

const MetricAlertBody = z.object({
  action: z.literal("critical"),
  data: z.object({
    metric_alert: z.object({
      alert_rule: z.object({ id, name: line }),
      title: line,
      date_started: z.string().min(1).max(100),
    }),
    description_text: shown(2_000),
    description_title: line,
    web_url: shown(2_048),
  }),
});

/** Undefined for every event that no Automation can ask for. */
function readErrorEvent(body: unknown): ErrorEvent | undefined {
  const issue = IssueBody.safeParse(body).data;
  if (issue) return issueEvent(issue);
  const issueAlert = IssueAlertBody.safeParse(body).data;
  if (issueAlert) return issueAlertEvent(issueAlert);
  const metricAlert = MetricAlertBody.safeParse(body).data;
  return metricAlert && metricAlertEvent(metricAlert);
}

function issueEvent({ action, data: { issue, event } }: z.infer<typeof IssueBody>): ErrorEvent | undefined {
  const type = issueEventType(action, issue.substatus);
  const { project, level, lastSeen } = issue;
  // A regression is known by when the issue was seen: without it, a second one could not be told from a repeat.
  if (type === undefined || (type === "IssueRegression" && lastSeen === undefined)) return undefined;
  return {
    type,
    triggerKey: type === "IssueRegression" ? `issue ${issue.id} seen ${lastSeen}` : `issue ${issue.id}`,
    project: project?.slug,
    level,
    shown: { event: type, ...shownIssue(issue), ...shownDetails(event) },
  };
}

function shownIssue({ title, metadata, project, level, web_url, permalink, firstSeen, stats, culprit }: Issue): object {
  return {
    title,
    type: metadata?.type,
    project: project?.slug,
    level,
    link: web_url ?? permalink,
    firstSeen,
    eventsIn24Hours: stats?.["24h"].reduce((sum, [, count]) => sum + count, 0),
    culprit,
  };
}

function shownDetails(event: z.infer<typeof Details> | undefined): Shown {
  const frames = event?.exception?.values.at(-1)?.stacktrace.frames;
  // Trackers send the newest frame last.
  return { stack: frames?.slice(-shownFrames).reverse(), tags: event?.tags?.slice(0, shownTags) };
}

function issueEventType(action: string, substatus: string | undefined): ErrorEvent["type"] | undefined {
  if (action === "created") return "IssueCreated";
  return action === "unresolved" && substatus === "regressed" ? "IssueRegression" : undefined;
}

function issueAlertEvent({ data: { event, triggered_rule: rule } }: z.infer<typeof IssueAlertBody>): ErrorEvent {
  const { title, metadata, level, web_url: link, datetime: seen, culprit } = event;
  const project = projectIn(event.url);
  const type = "IssueAlertTriggered";
  return {
    type,
    triggerKey: `error ${event.event_id}`,
    project,
    level,
    shown: {
      event: type,
      alert: firstCharacters(rule, 500),
      title,
      type: metadata?.type,
      project,
      level,
      link,
      seen,
      culprit,
      ...shownDetails(event),
    },
  };
}

/** The project's slug in the address of an error: `…/projects/<organization>/<project>/events/<error>/`. */
function projectIn(url: string | undefined): string | undefined {
  return /\/projects\/[^/]+\/([^/]{1,100})\/events\/[^/]+\/?$/.exec(url ?? "")?.[1];
}

function metricAlertEvent({ data }: z.infer<typeof MetricAlertBody>): ErrorEvent {
  const { alert_rule: rule, title, date_started: started } = data.metric_alert;
  return {
    type: "MetricAlertCritical",
    triggerKey: `alert ${rule.id} started ${started}`,
    project: undefined,
    level: "critical",
    shown: {
      event: "MetricAlertCritical",
      alert: title ?? rule.name,
      trigger: data.description_title,
      started,
      link: data.web_url,
      description: data.description_text,
    },
  };
}

/** The event in the body of a delivery, or why it starts no Run of this trigger, in a sentence. */
export function wantedEvent(
  body: unknown,
  { events, projects, levels }: Pick<ErrorTracker, "events" | "projects" | "levels">,
): ErrorEvent | string {
  const event = readErrorEvent(body);
  if (!event) return `The delivery is none of the events that can start Runs (${events.join(", ")} are wanted)`;
  if (!events.includes(event.type)) return `The event is ${event.type}, but must be one of ${events.join(", ")}`;
  if (!isAmong(projects, event.project)) return wrong("project", event.project, projects);
  if (!isAmong(levels, event.level)) return wrong("level", event.level, levels);
  return { ...event, shown: withTagsThatFit(event.shown) };
}

/** Leaves out the last tags of an event that would be too long: JSON writes some characters as six. All else fits always. */
function withTagsThatFit(shown: Shown): Shown {
  if (!shown.tags) return shown;
  const tags = [...shown.tags];
  while (tags.length > 0 && countCharacters(JSON.stringify({ ...shown, tags })) > longestPayloadBytes) tags.pop();
  return { ...shown, tags };
}

function isAmong(wanted: readonly string[], value: string | undefined): boolean {
  return wanted.length === 0 || (value !== undefined && wanted.includes(value));
}

function wrong(what: string, value: string | undefined, wanted: readonly string[]): string {
  const is = value === undefined ? `has no ${what}` : `has the ${what} ${JSON.stringify(value)}`;
  return `The event ${is}, but it must be one of ${wanted.join(", ")}`;
}
