import { afterAll, beforeAll, expect, it } from "vitest";

import { Session } from "../../src/api/v1alpha1/index.ts";
import { until } from "../support/kube.ts";
import { slackEnvelope, slackSignature } from "../support/slack-events.ts";
import { type SlackMessage, type SlackServer, startSlackServer } from "../support/slack-server.ts";
import { addressForPods } from "./support/address-for-pods.ts";
import { installConnector, makeIntegration, removeConnector } from "./support/connector.ts";
import { openEntrance } from "./support/delivery.ts";
import { listBranches } from "./support/git-evidence.ts";
import { repositoryName } from "./support/tenant-objects.ts";
import { makeTenant, openStage, type Stage, type Tenant } from "./support/tenant.ts";

// A thread of Slack's with the connector as the chart installs it and an agent in a sandbox pod; Slack alone is a stand-in. Other
// files find the release as it was.

const ann = "U0ANN";
const channel = "C0OPS";
const signingSecret = "planted-signing-secret";
const integration = "slack";

/** Notes each request in a file of the repository, pushes that, and says how many there were. */
const countingAgent = `
  set -e
  cat > /dev/null
  echo asked >> requests.txt
  git add requests.txt
  git commit --quiet --message='Note a request'
  git push --quiet origin HEAD:refs/heads/runwright/requests
  printf '{"type":"result","summary":"Requests so far: %s.","branch":"runwright/requests","commit":"%s"}\\n' \
    "$(wc -l < requests.txt)" "$(git rev-parse HEAD)"`;

let stage: Stage;
let tenant: Tenant;
let slack: SlackServer;
let entrance: Awaited<ReturnType<typeof openEntrance>>;

beforeAll(async () => {
  stage = await openStage("slack");
  slack = await startSlackServer(addressForPods());
  await installConnector(stage, [`connector.slackURL=${slack.url}`]);
  entrance = await openEntrance(stage.bench);
  tenant = await makeTenant(stage, { command: ["bash", "-c", countingAgent] });
  await makeIntegration(stage, tenant, {
    name: integration,
    secrets: { "signing-secret": signingSecret, "bot-token": slack.token },
    spec: {
      type: "Slack",
      access: { users: [ann] },
      slack: { teamID: slack.team.id, repositories: [{ name: repositoryName }] },
    },
  });
});

afterAll(async () => {
  entrance.close();
  await tenant.close();
  await removeConnector(stage);
  await slack.close();
  await stage.close();
});

it("answers a mention and a follow-up in the thread, from one sandbox, each once", async () => {
  const root = await mention("count this request");
  expect(await answers(root, 1)).toEqual([expect.stringContaining("Requests so far: 1.")]);
  expect(await listBranches(stage.bench, stage.git)).toContain("runwright/requests");

  await mention("and this one", root);
  expect(await answers(root, 2)).toEqual([
    expect.stringContaining("Requests so far: 1."),
    expect.stringContaining("Requests so far: 2."),
  ]);
  const { items } = await stage.bench.client.list(Session, { namespace: tenant.namespace });
  expect(items).toMatchObject([
    { metadata: { annotations: { "runwright.dev/requested-by": `slack:${slack.team.id}:${ann}` } } },
  ]);
  expect(items[0]?.status?.sandbox?.attempt).toBe(1);
  expect(slack.refused).toEqual([]);
});

/** Writes a mention, of which Slack tells the ingress; gives the thread's first message. */
async function mention(text: string, root?: string): Promise<string> {
  const message = { channel, user: ann, text: `<@${slack.botUser}> ${text}`, ...(root && { thread_ts: root }) };
  const ts = slack.say(message);
  const event = { type: "app_mention", ...message, ts, team: slack.team.id };
  const bytes = new TextEncoder().encode(JSON.stringify(slackEnvelope(slack, event)));
  const url = `${entrance.baseUrl}/integrations/${tenant.namespace}.${integration}/slack`;
  const signature = slackSignature(bytes, signingSecret, Math.floor(Date.now() / 1_000));
  const headers = { "content-type": "application/json", ...signature };
  const answer = await fetch(url, { method: "POST", headers, body: bytes });
  expect(answer.status).toBe(200);
  return root ?? ts;
}

/** What the bot has answered in a thread once there are so many answers, without what it says of the work's progress. */
async function answers(root: string, count: number): Promise<string[]> {
  const textOf = ({ blocks }: SlackMessage): string => JSON.stringify(blocks ?? "");
  const all = (): string[] =>
    slack
      .thread(channel, root)
      .filter(({ bot_id: bot }) => bot !== undefined)
      .map(textOf)
      .filter((text) => text.includes("Requests so far"));
  await until(`${count} answers are shown`, () => all().length >= count);
  return all();
}
