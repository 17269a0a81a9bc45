import { Agent, request } from "undici";

import { makePerson, openPeoplePort, tokenOf } from "../../e2e/support/people.ts";
import type { Attempt, Group } from "../support/attempt.ts";

const refusal = (name: string, outcome: number): Attempt => ({ name, outcome, counted: `people ${outcome}` });
const ofTunnel = (name: string, outcome: number): Attempt => ({ name, outcome, counted: "people 4xx" });

export const people: Group = {
  title: "a person with the role view, or a page in a person's browser, does not at the gateway",
  file: "groups/people.ts",
  attempts: [
    refusal("make a key", 403),
    refusal("pause an automation", 403),
    refusal("prompt a session", 403),
    refusal("read an automation of another namespace", 403),
    refusal("call the API with a token for the API server", 401),
    ofTunnel("open a tunnel", 403),
    ofTunnel("open a tunnel to a port that the session does not name, with the right to tunnels", 404),
    ofTunnel("open a tunnel from a page of another site, with the right to tunnels", 403),
  ],
  async run({ stage: { bench }, tenant: { namespace, automation } }) {
    const [viewer, editor] = await Promise.all([
      makePerson(bench, namespace, "view"),
      makePerson(bench, namespace, "edit"),
    ]);
    const tokens = { viewer: await tokenOf(bench, namespace, viewer), editor: await tokenOf(bench, namespace, editor) };
    const port = await openPeoplePort(bench);
    const agent = new Agent({ connect: port.tls });
    const ask = async (
      method: "GET" | "POST",
      path: string,
      token = tokens.viewer,
      headers: Record<string, string> = {},
    ): Promise<number> => {
      const { statusCode, body } = await request(`https://${port.authority}${path}`, {
        method,
        dispatcher: agent,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
        ...(method === "POST" && { body: path.endsWith("/prompts") ? JSON.stringify({ text: "x" }) : "{}" }),
      });
      await body.dump();
      return statusCode;
    };
    const tunnel = `/sessions/${namespace}.victim/tunnels/8080/`;
    try {
      return {
        "make a key": await ask("POST", `/automations/${automation}/regenerate-key`),
        "pause an automation": await ask("POST", `/automations/${automation}/pause`),
        "prompt a session": await ask("POST", `/sessions/${namespace}.victim/prompts`),
        "read an automation of another namespace": await ask("GET", "/automations/default.other"),
        "call the API with a token for the API server": await ask("GET", `/automations/${automation}`, "nonsense"),
        "open a tunnel": await ask("GET", tunnel),
        "open a tunnel to a port that the session does not name, with the right to tunnels": await ask(
          "GET",
          tunnel,
          tokens.editor,
        ),
        "open a tunnel from a page of another site, with the right to tunnels": await ask(
          "GET",
          tunnel,
          tokens.editor,
          {
            "sec-fetch-site": "cross-site",
          },
        ),
      };
    } finally {
      await agent.close();
      port.close();
    }
  },
};
