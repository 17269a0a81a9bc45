/** One panel: what it shows and how, each line of its graph by an expression. */
interface Panel {
  title: string;
  unit: "reqps" | "ops" | "s" | "short" | "percentunit" | "bytes";
  lines: readonly { expr: string; legend: string }[];
}

/** One dashboard of ours; `uid` is its file's name too. */
export interface Dashboard {
  uid: string;
  title: string;
  panels: readonly Panel[];
}

/** How often a counter rises a second, by labels with commas between them. */
function rate(metric: string, by: string): Panel["lines"][number] {
  const legend = by.replaceAll(/\w+/g, "{{$&}}").replaceAll(",", "");
  return { expr: `sum by (${by}) (rate(${metric}[$__rate_interval]))`, legend };
}

/** Of a histogram's observations, in seconds. */
function quantile(of: number, metric: string, by?: string): Panel["lines"][number] {
  const { expr } = rate(`${metric}_bucket`, by === undefined ? "le" : `${by}, le`);
  return { expr: `histogram_quantile(${of}, ${expr})`, legend: by === undefined ? `p${of * 100}` : `{{${by}}}` };
}

/** The largest value among the replicas. */
function largest(metric: string, legend: string): Panel["lines"][number] {
  return { expr: `max(${metric})`, legend };
}

/** How much of a store's budget is used; absent where the store has no bound. */
function ofBudget(store: string, legend: string): Panel["lines"][number] {
  return { expr: `max(runwright_${store}_bytes) / max(runwright_${store}_budget_bytes)`, legend };
}

function panel(title: string, unit: Panel["unit"], ...lines: Panel["lines"]): Panel {
  return { title, unit, lines };
}

const answers = "runwright_ingress_request_duration_seconds";

/** Rate, errors and duration of what people wait for, then the resources that each process uses. */
const overview: readonly Panel[] = [
  panel("Deliveries by status", "reqps", rate("runwright_ingress_requests_total", "status")),
  panel(
    "Deliveries not taken, by cause",
    "reqps",
    rate('runwright_ingress_requests_total{status=~"429|5.."}', "cause"),
  ),
  panel("Time to answer a delivery", "s", quantile(0.5, answers), quantile(0.99, answers)),
  panel("Runs ended, by reason", "ops", rate("runwright_runs_ended_total", "reason")),
  panel("Failed Runs, by whose failure", "ops", rate('runwright_runs_ended_total{failure_of!=""}', "failure_of")),
  panel("Paused automations", "short", {
    expr: "max by (reason) (runwright_automations_paused)",
    legend: "{{reason}}",
  }),
  panel("Connected sandboxes", "short", {
    expr: "sum(runwright_gateway_sandbox_connections)",
    legend: "connected",
  }),
  panel("Sandbox connections ended, by cause", "ops", rate("runwright_gateway_sandbox_closes_total", "cause")),
  panel("Requests of people, by status", "reqps", rate("runwright_gateway_people_requests_total", "status")),
  panel(
    "Time of a reconcile, p99",
    "s",
    quantile(0.99, "runwright_controller_reconcile_duration_seconds", "controller"),
  ),
  panel("Wait for a worker, p99", "s", quantile(0.99, "runwright_controller_queue_wait_seconds", "controller")),
  panel(
    "Writes to the API server that failed, by status",
    "ops",
    rate('runwright_controller_api_writes_total{status!~"2.."}', "resource, status"),
  ),
  panel(
    "Writes that a policy of another version refused, by policy",
    "ops",
    rate("runwright_kube_policy_refusals_total", "policy"),
  ),
  panel("Runs that are past their deadline and go on", "short", largest("runwright_runs_overdue", "overdue")),
];

/** Requests of sandboxes and people to the gateway, its refusals and its backlog. */
const gateway: readonly Panel[] = [
  panel("Connected sandboxes, by replica", "short", {
    expr: "sum by (pod) (runwright_gateway_sandbox_connections)",
    legend: "{{pod}}",
  }),
  panel("Open connections, of those that a port takes", "percentunit", {
    expr: "max by (port) (runwright_gateway_connections / on (namespace, pod) group_left () runwright_gateway_connections_limit)",
    legend: "{{port}}",
  }),
  panel(
    "Places taken in the fullest SandboxClass",
    "percentunit",
    largest("runwright_sandbox_class_used_ratio", "taken"),
  ),
  panel("Sessions that wait for a place", "short", largest("runwright_sessions_queued", "waiting")),
  panel("What sandboxes say, by type", "ops", rate("runwright_gateway_sandbox_messages_total", "type")),
  panel(
    "Prompts that came to an end, by what came of it",
    "ops",
    rate("runwright_gateway_prompt_outcomes_total", "settlement"),
  ),
  panel(
    "Requests of sandboxes, credentials among them",
    "reqps",
    rate("runwright_gateway_sandbox_requests_total", "path, status"),
    { ...rate("runwright_gateway_image_requests_total", "status"), legend: "/images {{status}}" },
  ),
  panel(
    "Time to answer a sandbox, p99",
    "s",
    quantile(0.99, "runwright_gateway_sandbox_request_duration_seconds", "path"),
  ),
  panel(
    "Time to answer a person, p99",
    "s",
    quantile(0.99, "runwright_gateway_people_request_duration_seconds", "method"),
  ),
  panel("Upgrades of sandboxes, by answer", "ops", rate("runwright_gateway_sandbox_upgrades_total", "answer")),
  panel("Refused on the sandbox port, by reason", "ops", rate("runwright_gateway_sandbox_refusals_total", "reason")),
  panel("Tried again: events is the blob store", "ops", rate("runwright_gateway_retries_total", "step")),
  panel("Events of sessions, by kind", "ops", rate("runwright_gateway_session_events_total", "kind")),
  panel("Events that were not written, by reason", "ops", rate("runwright_events_dropped_total", "reason")),
  panel("Time left of the certificate", "s", {
    expr: "min(runwright_gateway_certificate_expiration_timestamp_seconds) - time()",
    legend: "until its end",
  }),
];

/** Prebuilt images and skills: how fresh they are, and what sessions get of them. */
const imagesAndSkills: readonly Panel[] = [
  panel("Prebuilt images, by state", "short", {
    expr: "max by (state) (runwright_prebuilt_images)",
    legend: "{{state}}",
  }),
  panel(
    "Prebuilt images that are out of date for 2 hours",
    "short",
    largest("runwright_prebuilt_images_stale", "stale"),
  ),
  panel("Builds ended, by result", "ops", rate("runwright_image_builds_ended_total", "result")),
  panel("Failed builds, by reason", "ops", rate('runwright_image_builds_ended_total{result="Failed"}', "reason")),
  panel(
    "Skills that no session gets, and targets with too many",
    "short",
    largest("runwright_skills_invalid", "invalid Skills"),
    largest("runwright_skill_sets_too_large", "targets above 5 MiB"),
  ),
  panel(
    "Sets of skills that sandboxes fetch, by status",
    "reqps",
    rate('runwright_gateway_sandbox_requests_total{path="/skills"}', "status"),
  ),
];

/** Pools of sandboxes that wait: whether they are there when sessions start. */
const pools: readonly Panel[] = [
  panel(
    "Starts of sessions that a pool serves, by what they got of it",
    "ops",
    rate("runwright_pool_starts_total", "result"),
  ),
  panel("Sandboxes that wait, and that are to wait", "short", {
    expr: "max by (state) (runwright_pool_sandboxes)",
    legend: "{{state}}",
  }),
  panel("Pools, by state", "short", { expr: "max by (state) (runwright_sandbox_pools)", legend: "{{state}}" }),
  panel(
    "Pools of which no session took a sandbox for 3 days",
    "short",
    largest("runwright_sandbox_pools_unclaimed", "unclaimed"),
  ),
];

/** What is kept and shared: how full it is, and what was refused, left out or deleted for it. */
const budgets: readonly Panel[] = [
  panel(
    "Bytes that are stored, of those that may be",
    "percentunit",
    ofBudget("gateway_blob", "workspaces and images"),
    ofBudget("gateway_event", "events"),
    ofBudget("archive", "archive"),
  ),
  panel(
    "Bytes that are stored",
    "bytes",
    largest("runwright_gateway_blob_bytes", "workspaces and images"),
    largest("runwright_gateway_event_bytes", "events"),
    largest("runwright_archive_bytes", "archive"),
  ),
  panel(
    "Workspaces and images that were not stored, by bound",
    "ops",
    rate("runwright_gateway_blob_refusals_total", "bound"),
  ),
  panel("Events that were not kept, by bound", "ops", rate("runwright_gateway_events_dropped_total", "bound")),
  panel("Sets of skills that were not stored, by bound", "ops", rate("runwright_skill_set_refusals_total", "bound")),
  panel(
    "Archived rows that were deleted early, by budget",
    "ops",
    rate("runwright_archive_rows_trimmed_total", "budget"),
  ),
  panel("Rows that the database refused, by table", "ops", rate("runwright_archive_rows_refused_total", "table")),
  panel("Time since everything was in the archive", "s", largest("runwright_archive_behind_seconds", "behind")),
  panel(
    "Requests refused and saves that waited for a share, by what is shared",
    "reqps",
    rate("runwright_gateway_share_refusals_total", "budget"),
  ),
  panel("Namespaces that have all their sandboxes", "short", largest("runwright_sandbox_namespaces_full", "full")),
  panel("Sessions whose workspace could not be saved", "short", largest("runwright_sessions_unsaved", "not saved")),
  panel(
    "Connections of people and of senders that were dropped",
    "ops",
    { expr: "sum(rate(runwright_gateway_people_connections_dropped_total[$__rate_interval]))", legend: "gateway" },
    { expr: "sum(rate(runwright_web_connections_dropped_total[$__rate_interval]))", legend: "web page" },
    { expr: "sum(rate(runwright_ingress_connections_dropped_total[$__rate_interval]))", legend: "ingress" },
  ),
];

/** Slack, GitHub and Linear: what came of their events, and of what is posted there. */
const connector: readonly Panel[] = [
  panel("Events handled, by reason", "ops", rate("runwright_connector_events_settled_total", "reason")),
  panel(
    "Time until an event is acknowledged at its provider",
    "s",
    quantile(0.5, "runwright_connector_first_thought_seconds"),
    quantile(0.99, "runwright_connector_first_thought_seconds"),
  ),
  panel("Posts that ended, by how", "ops", rate("runwright_connector_posts_total", "kind, progress")),
  panel(
    "Calls of providers that failed",
    "ops",
    rate('runwright_connector_provider_calls_total{outcome!="ok"}', "operation, outcome"),
  ),
  panel("Calls of providers, by operation", "ops", rate("runwright_connector_provider_calls_total", "operation")),
  panel("Replicas that lead", "short", { expr: "sum(runwright_connector_leading)", legend: "leading" }),
];

export const dashboards: readonly Dashboard[] = [
  { uid: "runwright", title: "Runwright", panels: overview },
  { uid: "runwright-gateway", title: "Runwright gateway", panels: gateway },
  { uid: "runwright-images-and-skills", title: "Runwright images and skills", panels: imagesAndSkills },
  { uid: "runwright-pools", title: "Runwright pools", panels: pools },
  { uid: "runwright-budgets", title: "Runwright budgets and shares", panels: budgets },
  { uid: "runwright-connector", title: "Runwright connector", panels: connector },
];
