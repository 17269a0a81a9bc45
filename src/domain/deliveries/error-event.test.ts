import { describe, expect, it } from "vitest";

import { countCharacters } from "../../lib/characters.ts";
import { wantedEvent } from "./error-event.ts";

const all = {
  events: ["IssueCreated", "IssueRegression", "IssueAlertTriggered", "MetricAlertCritical"] as const,
  projects: [],
  levels: [],
};
const wanted = { ...all, events: [...all.events], projects: [] as string[], levels: [] as ("error" | "critical")[] };

const issue = {
  id: "1170820242",
  title: "TypeError: x is undefined",
  culprit: "checkout.pay",
  level: "error",
  permalink: "https://errors.example.com/issues/1170820242/",
  firstSeen: "2026-05-01T00:00:00Z",
  lastSeen: "2026-05-04T10:00:00Z",
  project: { id: "7", name: "Checkout", slug: "checkout" },
  metadata: { type: "TypeError", value: "x is undefined" },
  stats: {
    "24h": [
      [1, 2],
      [2, 3],
    ],
  },
};
const frame = (lineno: number): object => ({ filename: "pay.js", function: "pay", lineno });
const event = {
  exception: { values: [{ stacktrace: { frames: [1, 2, 3, 4, 5, 6].map(frame) } }] },
  tags: [["release", "1.2"]],
};
const created = (changes: object = {}, more: object = {}): object => ({
  action: "created",
  data: { issue: { ...issue, ...changes }, ...more },
});
const regressed = (changes: object = {}): object => ({
  action: "unresolved",
  data: { issue: { ...issue, substatus: "regressed", ...changes } },
});
const alert = (changes: object = {}, action = "critical"): object => ({
  action,
  data: {
    metric_alert: {
      title: "Too many errors",
      date_started: "2026-05-04T10:00:00Z",
      alert_rule: { id: 12 },
      ...changes,
    },
    description_title: "Critical: Too many errors",
    description_text: "1000 events in the last 10 minutes",
    web_url: "https://errors.example.com/alerts/12/",
  },
});

const triggered = (changes: object = {}, data: object = { triggered_rule: "Pages fail" }): object => ({
  action: "triggered",
  data: {
    event: {
      event_id: "e4874d664c3540c1a32eab185f12c5ab",
      issue_id: "1117540176",
      title: "ReferenceError: heck is not defined",
      culprit: "checkout.pay",
      level: "error",
      project: 1,
      datetime: "2026-05-04T10:00:00Z",
      url: "https://errors.example.com/api/0/projects/shop/checkout/events/e4874d664c3540c1a32eab185f12c5ab/",
      web_url: "https://errors.example.com/issues/1117540176/events/e4874d664c3540c1a32eab185f12c5ab/",
      metadata: { type: "ReferenceError" },
      ...event,
      ...changes,
    },
    ...data,
  },
});

describe("identity of an event", () => {
  it.each([
    ["a new issue: its id", created(), "issue 1170820242"],
    ["a new issue whose id is a number", created({ id: 5 }), "issue 5"],
    ["a regression: issue and last-seen time", regressed(), "issue 1170820242 seen 2026-05-04T10:00:00Z"],
    ["an issue alert: the error, under whichever rule", triggered(), "error e4874d664c3540c1a32eab185f12c5ab"],
    ["a metric alert: rule and start", alert(), "alert 12 started 2026-05-04T10:00:00Z"],
  ])("%s", (_what, body, triggerKey) => {
    expect(wantedEvent(body, wanted)).toMatchObject({ triggerKey });
  });

  it("a second regression is another event, a second look at a new issue is not", () => {
    const keyOf = (body: object): unknown => (wantedEvent(body, wanted) as { triggerKey?: string }).triggerKey;
    expect(keyOf(regressed({ lastSeen: "later" }))).not.toBe(keyOf(regressed()));
    expect(keyOf(created({ lastSeen: "later" }))).toBe(keyOf(created()));
  });
});

describe("no event that starts Runs", () => {
  it.each([
    null,
    5,
    "x",
    [],
    {},
    { action: "created" },
    { action: "resolved", data: { issue } },
    { action: "unresolved", data: { issue: { ...issue, substatus: "ongoing" } } },
    { action: "unresolved", data: { issue } },
    regressed({ lastSeen: undefined }),
    created({ id: "" }),
    created({ id: undefined }),
    triggered({ event_id: undefined }),
    triggered({ event_id: "" }),
    triggered({}, {}),
    { action: "triggered", data: { issue: { ...issue, substatus: "regressed" } } },
    alert({}, "warning"),
    alert({}, "resolved"),
    alert({ date_started: undefined }),
    { action: "created", data: { comment: "x", issue_id: 1 } },
  ])("%j", (body) => {
    expect(wantedEvent(body, wanted)).toMatch(/none of the events/);
  });
});

describe("conditions", () => {
  it.each([
    ["an event among those wanted", created(), { events: ["IssueCreated" as const] }, undefined],
    ["another event", created(), { events: ["IssueRegression" as const] }, /is IssueCreated, but must be/],
    ["a project among those wanted", created(), { projects: ["web", "checkout"] }, undefined],
    ["another project", created(), { projects: ["web"] }, /has the project "checkout"/],
    ["a project in another case", created(), { projects: ["Checkout"] }, /has the project "checkout"/],
    ["no project", created({ project: undefined }), { projects: ["checkout"] }, /has no project/],
    ["an alert, which has no project", alert(), { projects: ["checkout"] }, /has no project/],
    ["a level among those wanted", created(), { levels: ["error" as const] }, undefined],
    ["another level", created({ level: "warning" }), { levels: ["error" as const] }, /has the level "warning"/],
    ["an issue alert of the project", triggered(), { projects: ["checkout"] }, undefined],
    ["an issue alert of another project", triggered(), { projects: ["web"] }, /has the project "checkout"/],
    ["an issue alert without an address", triggered({ url: 5 }), { projects: ["checkout"] }, /has no project/],
    [
      "an issue alert whose address is of another form",
      triggered({ url: "https://x.example.com/checkout/events/1/" }),
      { projects: ["checkout"] },
      /has no project/,
    ],
    [
      "an issue alert of another level",
      triggered({ level: "info" }),
      { levels: ["error" as const] },
      /has the level "info"/,
    ],
    ["no level", created({ level: undefined }), { levels: ["error" as const] }, /has no level/],
    ["an alert, which is critical", alert(), { levels: ["critical" as const] }, undefined],
  ])("%s", (_what, body, conditions, why) => {
    const judged = wantedEvent(body, { ...wanted, ...conditions });
    if (why) expect(judged).toMatch(why);
    else expect(judged).toHaveProperty("triggerKey");
  });
});

const shownOf = (body: unknown): Record<string, unknown> =>
  (wantedEvent(body, wanted) as { shown: object }).shown as Record<string, unknown>;

it("shows the agent an issue, newest frames first", () => {
  expect(JSON.parse(JSON.stringify(shownOf(created({}, { event }))))).toEqual({
    event: "IssueCreated",
    title: issue.title,
    type: "TypeError",
    project: "checkout",
    level: "error",
    link: issue.permalink,
    firstSeen: issue.firstSeen,
    eventsIn24Hours: 5,
    culprit: "checkout.pay",
    stack: [6, 5, 4, 3, 2].map(frame),
    tags: [{ key: "release", value: "1.2" }],
  });
});

it("shows the agent an issue alert", () => {
  expect(JSON.parse(JSON.stringify(shownOf(triggered())))).toEqual({
    event: "IssueAlertTriggered",
    alert: "Pages fail",
    title: "ReferenceError: heck is not defined",
    type: "ReferenceError",
    project: "checkout",
    level: "error",
    link: "https://errors.example.com/issues/1117540176/events/e4874d664c3540c1a32eab185f12c5ab/",
    seen: "2026-05-04T10:00:00Z",
    culprit: "checkout.pay",
    stack: [6, 5, 4, 3, 2].map(frame),
    tags: [{ key: "release", value: "1.2" }],
  });
});

it("shows the agent a metric alert", () => {
  expect(JSON.parse(JSON.stringify(shownOf(alert())))).toEqual({
    event: "MetricAlertCritical",
    alert: "Too many errors",
    trigger: "Critical: Too many errors",
    started: "2026-05-04T10:00:00Z",
    link: "https://errors.example.com/alerts/12/",
    description: "1000 events in the last 10 minutes",
  });
});

it.each([
  ["exceptions of another form", { exception: { values: "?" } }],
  ["an exception without a stack", { exception: { values: [{}] } }],
  ["no exceptions", { exception: { values: [] } }],
  ["tags of another form", { tags: { release: "1" } }],
  ["an event that is no object", 5],
])("leaves out what it cannot read: %s", (_what, odd) => {
  expect(shownOf(created({}, { event: odd }))).toMatchObject({ title: issue.title, stack: undefined, tags: undefined });
});

it.each([
  { what: "characters that are one in JSON, too", character: "\u{1f525}", tags: 50 },
  { what: "characters that are six in JSON", character: "\u0001", tags: 7 },
])("keeps what the agent sees within what a Run can hold: $what", ({ character, tags }) => {
  const long = character.repeat(10_000);
  const huge = {
    exception: { values: [{ stacktrace: { frames: Array(99).fill({ filename: long, function: long, lineno: 1 }) } }] },
    tags: Array(99).fill([long, long]),
  };
  const texts = { title: long, culprit: long, level: long, permalink: long, metadata: { type: long }, firstSeen: long };
  const rule = { triggered_rule: long };
  const bodies = [
    created(texts, { event: huge }),
    triggered({ ...texts, ...huge, web_url: long, datetime: long }, rule),
  ];
  for (const body of bodies) expect(countCharacters(JSON.stringify(shownOf(body)))).toBeLessThanOrEqual(65_536);
  const shown = shownOf(created(texts, { event: huge })) as { stack: object[]; tags: object[] };
  expect([shown.stack.length, shown.tags.length]).toEqual([5, tags]);
});
